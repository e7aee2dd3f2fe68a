/** Places and windows of the maps that are compared: each counts its own tokens, the state those of the shown run. */

import { matrixRequest } from "../data/head_loader.js";
import { t } from "../../base/i18n.js";
import { readWindow } from "../state/selection.js";

/** @typedef {import("./run_maps.js").Run} Run */
/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../../charts/heat_map/cells.js").Pointed} Pointed */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../widgets/panel.js").Scene} Scene */

/**
 * @typedef {object} Paired
 * @property {import("./pairing.js").Pairing} pairing
 * @property {0 | 1} own  the map of the run that is shown
 */

/**
 * Maps: 0 the left one, 1 the right one, 2 the difference, which has a row for each unit.
 * @param {() => Paired | null} paired
 */
export function createPlaces(paired) {
  /**
   * A place in one of the maps, in the tokens of the run that is shown.
   * @param {0 | 1 | 2} map
   * @param {Pointed} at
   * @returns {Pointed}
   */
  function toOwn(map, { query, key }) {
    const now = paired();
    if (!now || map === now.own) return { query, key };
    const { queries, keys } = now.pairing;
    if (map === 2) return { query: queries?.across.ownOf(query) ?? null, key: keys?.across.ownOf(key) ?? null };
    return { query: queries?.across.toOwn(query) ?? null, key: keys?.across.toOwn(key) ?? null };
  }

  /**
   * A place of the shown run in one of the maps.
   * @param {0 | 1 | 2} map
   * @param {Pointed} at
   * @returns {Pointed}
   */
  function toMap(map, { query, key }) {
    const now = paired();
    if (!now || map === now.own) return { query, key };
    const { queries, keys } = now.pairing;
    if (map === 2) return { query: queries?.across.unitOf(query) ?? null, key: keys?.across.unitOf(key) ?? null };
    return { query: queries?.across.toOther(query) ?? null, key: keys?.across.toOther(key) ?? null };
  }

  /** @type {(map: 0 | 1 | 2, rows: Range, cols: Range) => [Range, Range]} */
  function rangesToOwn(map, rows, cols) {
    const { queries, keys } = paired()?.pairing ?? {};
    if (!queries || !keys || map === paired()?.own) return [rows, cols];
    if (map === 2) return [queries.across.tokensIn(rows), keys.across.tokensIn(cols)];
    return [queries.across.rangeToOwn(rows), keys.across.rangeToOwn(cols)];
  }

  /**
   * The window of a run: the state's, in the tokens of that run.
   * @param {Part} part
   * @param {Scene} scene
   * @param {0 | 1} map
   * @returns {{rows: Range, cols: Range}}
   */
  function rangesOf(part, scene, map) {
    const { rows, cols } = readWindow(scene.value, scene.part);
    const { queries, keys } = paired()?.pairing ?? {};
    if (map === paired()?.own) return { rows, cols };
    if (!queries || !keys) return { rows: [0, part.query_tokens], cols: [0, part.key_tokens] };
    return { rows: queries.across.rangeToOther(rows), cols: keys.across.rangeToOther(cols) };
  }

  return { toOwn, toMap, rangesToOwn, rangesOf };
}

/**
 * @param {[Run, Run]} runs
 * @param {0 | 1} own  the one that is shown
 * @param {Scene} scene
 * @returns {import("./difference_loader.js").Question}
 */
export function questionOf(runs, own, { value }) {
  const [first, second] = runs;
  const { part } = second;
  const { layer, head } = first;
  const look = { id: "", part, layer, head, stage: value.stage, ...readWindow(value, part), query: null };
  const window = matrixRequest(look);
  const ids = { shown: runs[own].analysis.id, other: runs[1 - own].analysis.id };
  const otherHead = { layer: second.layer, head: second.head };
  return { ...ids, isOtherFirst: own === 1, window, otherHead };
}

/**
 * Why there is no other head to subtract; "" where there is one.
 * @param {Run} first
 * @param {Run} second
 */
export function noSuchHead(first, second) {
  return !first.isNearest && !second.isNearest
    ? ""
    : t(
        "No difference: the other model has no such head, so its nearest one is shown. Choose one under “Another head”.",
      );
}

export function notPooled() {
  return t("No difference of pooled cells between models of different shape: zoom in until a cell is one token.");
}
