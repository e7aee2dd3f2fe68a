/** What the buttons under the matrix change: the head that is shown, all chosen heads together, or one edge. */

import { headsDrawn, headsShown } from "../state/head_list.js";
import { off } from "./isolate_head.js";

/** @typedef {import("../state/changes/changes.js").Change} Change */
/** @typedef {import("../state/head_list.js").HeadAt} HeadAt */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */
/** @typedef {"off" | "chosen" | "cut"} QuickKind */

/**
 * In the head that is shown, or in all those whose mean is; `chosen` concerns the heads chosen beside it, too, where
 * they are not shown as their mean.
 * @param {QuickKind} kind
 * @param {ViewState} value
 * @param {{layers: number, heads: number} | null} drawn  the part; null before an analysis is there
 * @returns {Change[]}
 */
export function quickChanges(kind, value, drawn) {
  const { part, layer, head, query, key } = value;
  const shown = drawn ? headsShown(value, drawn) : [{ layer, head }];
  switch (kind) {
    case "off":
      return offChanges(part, shown);
    case "chosen":
      return drawn ? offChanges(part, chosenTogether(value, drawn)) : [];
    case "cut":
      return query === null || key === null ? [] : shown.map((place) => ({ kind, part, ...place, query, key }));
  }
}

/**
 * The chosen heads where they are several, each shown by itself.
 * @param {ViewState} value
 * @param {{layers: number, heads: number}} part
 * @returns {HeadAt[]}
 */
export function chosenTogether(value, part) {
  const heads = headsDrawn(value, part);
  return heads.length > 1 && headsShown(value, part).length === 1 ? heads : [];
}

/**
 * @param {string} part
 * @param {HeadAt[]} heads
 * @returns {Change[]}
 */
export function offChanges(part, heads) {
  return heads.map(({ layer, head }) => off({ part, layer, head }));
}
