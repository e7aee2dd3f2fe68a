/** The way through the heads: split, attend head by head, concatenate, mix with W_O. */

import { namesOf, shownOf } from "./state.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("./state.js").MultiHeadData} MultiHeadData */
/** @typedef {import("./state.js").MultiHeadState} MultiHeadState */

/** @param {MultiHeadData} data @returns {import("../frame/film.js").Shot<MultiHeadState>[]} */
export function film(data) {
  const { state, answer } = data;
  if (state.view !== "heads" && state.view !== "model") return [];
  const { d_model: width, num_heads: heads, head_dim: dim, output_inputs: inputs } = answer.sizes;
  const { query } = shownOf(data);
  const tokens = namesOf(data);
  const byHead = answer.weights.map((weights, head) => ({ head, ...mostOf(weights[query]) }));
  const asks = (state.view === "model" ? apart(byHead) : byHead).map(({ head, most }) => ({
    patch: { step: 2, head },
    says: t("Head {head}: “{word}” attends most to “{most}”.", { head, word: tokens[query], most: tokens[most] }),
  }));
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

/** @typedef {{head: number, most: number, weight: number}} Ask  the key to which a head attends most, and with what */

/** @param {readonly number[]} row */
function mostOf(row) {
  const weight = Math.max(...row);
  return { most: row.indexOf(weight), weight };
}

/** Shots of a layer of many heads. */
const MOST_SHOTS = 4;

/**
 * The heads that do different things: for each key the one that attends to it most, the clearest few of them.
 * @param {readonly Ask[]} asks
 * @returns {Ask[]}
 */
function apart(asks) {
  const clearest = [...asks].sort((a, b) => b.weight - a.weight);
  const apart = clearest.filter(({ most }, index) => clearest.findIndex((ask) => ask.most === most) === index);
  return apart.slice(0, MOST_SHOTS).sort((a, b) => a.head - b.head);
}
