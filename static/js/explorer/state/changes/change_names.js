/** Names of what-if changes. */

import { apartLabel, quoted } from "../../../wording/token_apart.js";
import { t } from "../../../base/i18n.js";
import { headName, partName } from "../../../wording/labels.js";

/** @typedef {import("./changes.js").Change} Change */
/** @typedef {import("./changes.js").Place} Place */
/** @typedef {import("../../../api/types.js").Token} Token */

/**
 * @typedef {object} Named  what names are taken from
 * @property {(part: string) => {queries: Token[], keys: Token[]}} sides
 * @property {0 | 1} numbering
 */

/**
 * @param {Place} place
 * @param {0 | 1} numbering
 * @returns {string}
 */
export function placeName({ part, layer, head }, numbering) {
  const where = part ? `${partName(part)}, ` : "";
  if (layer !== null && head !== null) return where + headName(layer, head, numbering);
  if (layer !== null) return where + t("Layer {layer}, all heads", { layer: layer + numbering });
  if (head !== null) return where + t("All layers, head {head}", { head: head + numbering });
  return where + t("All heads of all layers");
}

/**
 * @param {Change} change
 * @param {Named} named
 * @returns {string}
 */
export function changeName(change, { sides, numbering }) {
  const { queries, keys } = sides(change.part);
  const name = (/** @type {Token[]} */ tokens, /** @type {number | null} */ index) =>
    index === null
      ? t("all tokens")
      : tokens[index]
        ? quoted(apartLabel(tokens, tokens[index], numbering))
        : String(index + numbering);
  switch (change.kind) {
    case "off":
      return t("off");
    case "mean":
      return t("off, replaced by its mean");
    case "uniform":
      return t("attends to all equally");
    case "previous":
      return t("attends to the previous token");
    case "causal":
      return t("attends to nothing later");
    case "temperature":
      return t("temperature {value}", { value: Number(change.temperature.toPrecision(3)) });
    case "cut":
      return t("cut {query} → {key}", { query: name(queries, change.query), key: name(keys, change.key) });
    case "row":
      return rowName(change, name(queries, change.query), (key) => name(keys, key));
  }
}

/**
 * @param {Change & {kind: "row"}} change
 * @param {string} query
 * @param {(key: number) => string} nameKey
 */
function rowName({ shares }, query, nameKey) {
  if (shares.length === 0) return t("{query} attends to all equally", { query });
  const keys = shares.map(([key, share]) => (shares.length === 1 ? nameKey(key) : `${nameKey(key)} ${share}`));
  return t("{query} attends only to {keys}", { query, keys: keys.join(", ") });
}
