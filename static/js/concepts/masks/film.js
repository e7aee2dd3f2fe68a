/** The words of a sentence one after the other, as a model that writes meets them: what each may read. */

import { matrixOf, namesOf, ofSentence } from "./state.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("./state.js").MasksData} MasksData */

/** @param {MasksData} data @returns {import("../frame/film.js").Shot<import("./state.js").MasksState>[]} */
export function film({ state, answer }) {
  const weights = matrixOf(state, answer.weights);
  const allowed = /** @type {boolean[][]} */ (ofSentence(state, answer.allowed));
  const names = namesOf(state, Math.max(weights.length, weights[0].length));
  return weights.map((row, query) => ({
    patch: { query, step: 3 },
    says: says(row, allowed[query], { names, query, isCausal: state.kind === "causal" }),
  }));
}

/**
 * @param {(number | string)[]} weights  of one query
 * @param {boolean[]} allowed
 * @param {{names: string[], query: number, isCausal: boolean}} about
 */
function says(weights, allowed, { names, query, isCausal }) {
  const keys = allowed.flatMap((may, key) => (may ? [key] : []));
  const word = names[query];
  if (keys.length === 0) return t("“{word}” may attend to nothing.", { word });
  const most = names[keys.reduce((best, key) => (Number(weights[key]) > Number(weights[best]) ? key : best), keys[0])];
  const about = { word, most, count: keys.length, total: weights.length };
  const next = isCausal ? names[query + 1] : undefined;
  return next === undefined
    ? t("“{word}” may attend to {count} of {total} words, and attends most to “{most}”.", about)
    : t("“{word}” must help to guess “{next}”, so it may not see it. It attends most to “{most}”.", { ...about, next });
}
