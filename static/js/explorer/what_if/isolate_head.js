/** Isolate one head: switch off all others in its layer. */

import { hasChange, withChange, withoutChange } from "../state/changes/changes.js";

/** @typedef {import("../state/changes/changes.js").Change} Change */
/** @typedef {{part: string, layer: number, head: number}} HeadPlace */

/**
 * The changes that switch off all heads of a layer but one.
 * @param {HeadPlace} place
 * @param {number} heads  of the layer
 * @returns {Change[]}
 */
function othersOff({ part, layer, head }, heads) {
  const others = Array.from({ length: heads }, (_, index) => index).filter((index) => index !== head);
  return others.map((other) => ({ kind: "off", part, layer, head: other }));
}

/**
 * @param {readonly Change[]} changes
 * @param {HeadPlace} place
 * @param {number} heads
 * @returns {boolean}
 */
export function isOnly(changes, place, heads) {
  const others = othersOff(place, heads);
  return others.length > 0 && others.every((change) => hasChange(changes, change)) && !hasChange(changes, off(place));
}

/**
 * Switches the others off, or on again if they are off.
 * @param {readonly Change[]} changes
 * @param {HeadPlace} place
 * @param {number} heads
 * @returns {Change[]}
 */
export function toggleOnly(changes, place, heads) {
  const others = othersOff(place, heads);
  if (isOnly(changes, place, heads)) return others.reduce(withoutChange, [...changes]);
  return others.reduce(withChange, withoutChange(changes, off(place)));
}

/**
 * @param {HeadPlace} place
 * @returns {Change}
 */
export function off({ part, layer, head }) {
  return { kind: "off", part, layer, head };
}
