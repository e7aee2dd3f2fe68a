/** The library's side of the comparison: the same weights with transformers alone. */

import { weightsCode } from "../../base/code/transformers_code.js";

/** @param {import("./state.js").ParityData} data @returns {string[]} */
export function pytorch({ state: { model, text, part, layer, head, query, key }, answer }) {
  const targets = answer.parts.length > 1 ? (answer.target_tokens ?? []).map(({ id }) => id) : null;
  return weightsCode({ model, texts: [text], targets, part: part || "encoder", heads: [{ layer, head }], query, key });
}
