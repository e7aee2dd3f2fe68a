/** The link from a head of the Explorer to its portrait in the atlas of its model, with the cell whose like can be searched for. */

import { placed } from "../../base/place.js";

/** @typedef {import("../state/view_state.js").ViewState} ViewState */

/** Characters of a text that fits into a link; the atlas looks at windows of about that length. */
const LONGEST = 1200;

/**
 * @param {ViewState} state
 * @param {{name: string}} part
 * @returns {string}
 */
export function atlasAddress({ model, layer, head, query, key, lang, ...rest }, { name: part }) {
  const { text, pair, target, picture, changes } = rest;
  const isPlain = [pair, target, picture, changes].every((value) => value === "") && text.length <= LONGEST;
  const hasCell = isPlain && query !== null && key !== null;
  const parameters = {
    ...(lang && { lang }),
    model,
    part,
    layer: String(layer),
    head: String(head),
    ...(hasCell && { text, query: String(query), key: String(key) }),
  };
  return placed(`/atlas?${new URLSearchParams(parameters)}`);
}
