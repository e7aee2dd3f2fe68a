/** Both prompts token by token, with a gap wherever one of them has a token too many. */

import { t } from "../../base/i18n.js";

/** @typedef {import("../../api/patching.js").PromptPair} PromptPair */
/** @typedef {import("../../api/types.js").Token} Token */
/**
 * @typedef {Omit<PromptPair, "clean" | "corrupt" | "images"> & {clean: Token[], corrupt: Token[]}} Prompts
 * of the corrupt one no token while there is none
 */

/**
 * @typedef {object} Pairing
 * @property {Token | null} clean  null beside a token that corrupt has too many
 * @property {Token | null} corrupt
 * @property {boolean} isOther  whether the two differ
 */

/**
 * @param {Prompts} pair
 * @returns {Pairing[]}
 */
export function sideBySide({ clean, corrupt, extra_clean: extraClean, extra_corrupt: extraCorrupt }) {
  const pairings = [];
  for (let [one, other] = [0, 0]; one < clean.length || other < corrupt.length;) {
    const isAlone = extraClean.includes(one);
    const isOtherAlone = !isAlone && extraCorrupt.includes(other);
    const left = isOtherAlone ? null : clean[one++];
    const right = isAlone ? null : (corrupt[other++] ?? null);
    pairings.push({ clean: left, corrupt: right, isOther: left !== null && right !== null && left.id !== right.id });
  }
  return pairings;
}

/**
 * Whether the prompts can be patched, in words.
 * @param {Prompts} pair
 * @returns {string}
 */
export function verdict({ clean, corrupt, extra_clean: extraClean, extra_corrupt: extraCorrupt, differing }) {
  if (corrupt.length === 0)
    return t("{count} tokens in the clean prompt; the corrupt one needs as many.", { count: clean.length });
  const counts = { clean: clean.length, corrupt: corrupt.length };
  if (extraClean.length > 0)
    return t(
      "The clean prompt has {clean} tokens, the corrupt one {corrupt}; both need equally many. The dotted ones are too many: leave them out, or add as many to the corrupt prompt.",
      counts,
    );
  if (extraCorrupt.length > 0)
    return t(
      "The clean prompt has {clean} tokens, the corrupt one {corrupt}; both need equally many. The dotted ones are too many: leave them out, or add as many to the clean prompt.",
      counts,
    );
  if (differing.length === 0) return t("Both prompts have the same tokens: change at least one in the corrupt prompt.");
  return t("{count} tokens in each prompt; the underlined ones differ.", { count: clean.length });
}
