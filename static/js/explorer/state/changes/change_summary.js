/** Summarise the what-if changes of a run in words, for exported files. */

import { changeName, placeName } from "./change_names.js";
import { labelled, t } from "../../../base/i18n.js";
import { partOf, sidesOf } from "../selection.js";

/** @typedef {import("./changes.js").Change} Change */
/** @typedef {import("../../../api/types.js").Analysis["interventions"][number]} Asked  an intervention as the API answers it */
/** @typedef {import("./changes.js").Place} Place */

const KINDS = /** @type {const} */ ({ uniform: "uniform", previous_token: "previous", causal: "causal" });

/**
 * @param {import("../../../api/types.js").Analysis} analysis
 * @param {0 | 1} numbering
 * @returns {string}  "" for the model as it is
 */
export function changesNote(analysis, numbering) {
  const changes = (analysis.interventions ?? []).flatMap(changesOf);
  if (changes.length === 0) return "";
  const sides = (/** @type {string} */ part) => sidesOf(analysis, partOf(analysis, part), numbering);
  const said = changes.map((change) =>
    labelled(placeName(change, numbering), changeName(change, { sides, numbering })),
  );
  return t("Changed inside the model: {changes}.", { changes: said.join("; ") });
}

/**
 * An intervention as the API answers it, as changes that have a name.
 * @param {Asked} intervention
 * @returns {Change[]}
 */
export function changesOf(intervention) {
  return placesOf(intervention).flatMap((place) => changesAt(place, intervention));
}

/**
 * @param {Asked} intervention
 * @returns {Place[]}
 */
function placesOf({ part, layer, heads }) {
  const where = { part: part ?? "", layer: layer === "all" ? null : layer };
  return heads === "all" ? [{ ...where, head: null }] : heads.map((head) => ({ ...where, head }));
}

/**
 * @param {Place} place
 * @param {Asked} intervention
 * @returns {Change[]}
 */
function changesAt(place, intervention) {
  switch (intervention.kind) {
    case "head_off":
      return [{ ...place, kind: intervention.mode === "mean" ? "mean" : "off" }];
    case "cut_edges":
      return intervention.edges.map(([query, key]) => ({ ...place, kind: "cut", query, key }));
    case "replace_row":
      return [{ ...place, kind: "row", query: intervention.query, shares: sharesOf(intervention.weights) }];
    case "temperature":
      return [{ ...place, kind: "temperature", temperature: intervention.temperature }];
    default:
      return [{ ...place, kind: KINDS[intervention.pattern] }];
  }
}

/**
 * @param {number[]} weights
 * @returns {[number, number][]}  none where all that are read are read equally
 */
function sharesOf(weights) {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const shares = weights
    .map((weight, key) => /** @type {[number, number]} */ ([key, weight]))
    .filter(([, weight]) => weight > 0);
  const isEqual = shares.length > 1 && shares.every(([, weight]) => weight === shares[0][1]);
  return isEqual ? [] : shares.map(([key, weight]) => [key, Number((weight / total).toPrecision(3))]);
}
