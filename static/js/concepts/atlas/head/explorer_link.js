/** Links from the atlas into the Explorer: a head, or the cell of an example. */

import { placed } from "../../../base/place.js";

/**
 * Parameters of the Explorer's address.
 * @param {object} wanted
 * @param {string} wanted.model
 * @param {import("../../../api/atlases.js").HeadAt} wanted.at
 * @param {string} [wanted.text]
 * @param {number} [wanted.query]
 * @param {number} [wanted.key]
 * @returns {Record<string, string | number>}
 */
export function explorerAddress({ model, at, text, query, key }) {
  return {
    model,
    part: at.part,
    layer: at.layer,
    head: at.head,
    ...(text !== undefined && { text }),
    ...(query !== undefined && { query }),
    ...(key !== undefined && { key }),
  };
}

/** @param {Parameters<typeof explorerAddress>[0]} wanted @param {string} lang */
export function explorerLink(wanted, lang) {
  const query = new URLSearchParams(
    Object.entries(explorerAddress(wanted)).map(([name, value]) => [name, String(value)]),
  );
  if (lang) query.set("lang", lang);
  return placed(`/?${query}`);
}
