/** Decoding step by step: what is appended, what is read from the cache, and what would be computed again without it. */

import { t } from "../../base/i18n.js";

/** @param {import("./state.js").KVCacheData} data @returns {import("../frame/film.js").Shot<import("./state.js").KVCacheState>[]} */
export function film({ state, others: [decoded] }) {
  if (state.view !== "steps" || !decoded) return [];
  return decoded.steps.map(({ stored, new: added }, part) => ({
    patch: { part },
    says: stored
      ? t(
          "{added} new: computed and appended. {stored} read from the cache, which would otherwise be computed again.",
          {
            added,
            stored,
          },
        )
      : t("The prompt: all {added} are computed, and cached.", { added }),
  }));
}
