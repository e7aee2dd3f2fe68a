/** The way through the heads: split, attend head by head, concatenate, mix with W_O. */

import { shownOf, tokensOf } from "./state.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("./state.js").MultiHeadData} MultiHeadData */
/** @typedef {import("./state.js").MultiHeadState} MultiHeadState */

/** @param {MultiHeadData} data @returns {import("../frame/film.js").Shot<MultiHeadState>[]} */
export function film(data) {
  const { state, answer } = data;
  if (state.view !== "heads") return [];
  const { d_model: width, num_heads: heads, head_dim: dim, output_inputs: inputs } = answer.sizes;
  const { query } = shownOf(data);
  const tokens = tokensOf(state);
  const asks = answer.weights.map((weights, head) => {
    const row = weights[query];
    const most = row.indexOf(Math.max(...row));
    return {
      patch: { step: 2, head },
      says: t("Head {head}: “{word}” attends most to “{most}”.", { head, word: tokens[query], most: tokens[most] }),
    };
  });
  return [
    { patch: { step: 1 }, says: t("Split: {heads} heads, each with queries and keys of {dim}.", { heads, dim }) },
    ...asks,
    {
      patch: { step: 3 },
      says: t("Concatenate: the heads' outputs stand side by side, {inputs} numbers.", { inputs }),
    },
    { patch: { step: 4 }, says: t("W_O mixes them into {width} numbers: the result for this word.", { width }) },
  ];
}
