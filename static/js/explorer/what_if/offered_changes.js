/** The changes available for the chosen head, its layer, or all heads. */

import { hasChange, withChange, withoutChange } from "../state/changes/changes.js";

/** @typedef {import("../state/changes/changes.js").Change} Change */
/** @typedef {import("../state/changes/changes.js").Place} Place */
/** @typedef {"head" | "layer" | "all"} Scope */

/**
 * @param {Scope} scope
 * @param {{part: string, layer: number, head: number}} chosen
 * @returns {Place}
 */
export function placeOf(scope, { part, layer, head }) {
  return { part, layer: scope === "all" ? null : layer, head: scope === "head" ? head : null };
}

/**
 * Changes of whole heads.
 * @param {Place} place
 * @returns {Change[]}
 */
export function headChanges(place) {
  const kinds = /** @type {const} */ (["off", "mean", "uniform", "previous", "causal"]);
  return kinds.map((kind) => ({ kind, ...place }));
}

/**
 * Changes of what the chosen token attends to.
 * @param {Place} place
 * @param {import("../../charts/heat_map/cells.js").Pointed} chosen
 * @returns {Change[]}
 */
export function cellChanges(place, { query, key }) {
  if (query === null) return [];
  /** @type {Change} */
  const nothing = { kind: "row", ...place, query, shares: [] };
  if (key === null) return [nothing];
  return [
    { kind: "cut", ...place, query, key },
    { kind: "cut", ...place, query: null, key },
    { kind: "row", ...place, query, shares: [[key, 1]] },
    nothing,
  ];
}

/**
 * @param {readonly Change[]} changes
 * @param {Place} place
 * @returns {(Change & {kind: "temperature"}) | null}
 */
export function temperatureOf(changes, { part, layer, head }) {
  for (const change of changes) {
    const isHere = change.part === part && change.layer === layer && change.head === head;
    if (change.kind === "temperature" && isHere) return change;
  }
  return null;
}

/**
 * The changes with this temperature; at 1 there is none.
 * @param {readonly Change[]} changes
 * @param {Place} place
 * @param {number} temperature
 * @returns {Change[] | null}  null if nothing changes
 */
export function withTemperature(changes, place, temperature) {
  const before = temperatureOf(changes, place);
  if (temperature === 1) return before && withoutChange(changes, before);
  /** @type {Change} */
  const change = { kind: "temperature", ...place, temperature };
  return hasChange(changes, change) ? null : withChange(changes, change);
}
