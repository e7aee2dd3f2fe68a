/** Data of each part of the matrix view: matrix, minimap, legend, table, and the row of the chosen query. */

import { isMasked, isUnsigned, limitsOf } from "../../charts/heat_map/scales.js";
import { remembering } from "../../base/memoise.js";
import { segmentChoices } from "../state/segments.js";
import { shownPlaces, shownRange } from "../state/arrangement.js";

/** @typedef {import("../data/head_loader.js").Look} Look */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {import("./shown_map.js").ShownMap} ShownMap */

/** @param {Pick<import("../widgets/panel.js").Bench, "headLoader" | "remember">} bench */
export function createMatrixData({ headLoader, remember }) {
  const choicesOf = remembering(segmentChoices);
  const wholeOf = remembering((/** @type {number} */ queries, /** @type {number} */ keys) => [
    { rows: /** @type {Range} */ ([0, queries]), cols: /** @type {Range} */ ([0, keys]) },
  ]);

  /**
   * The loaded tiles of the matrix, and the ranges that failed.
   * @param {ShownMap} map
   * @param {Look} look
   */
  function inView({ isChanged, matrix, failure, queries, keys }, look) {
    if (!isChanged) {
      const { tiles, missing } = headLoader.tiles(look);
      return { tiles, missing };
    }
    const isMissing = matrix === null && failure?.kind === "failed";
    return { tiles: [], missing: isMissing ? wholeOf(queries.tokens.length, keys.tokens.length) : [] };
  }

  /**
   * @param {Scene} scene
   * @param {ShownMap} map
   * @param {Look} look
   */
  return function dataOf({ value, part, palette, pointed, ...scene }, map, look) {
    const { layer, head, stage, numbering, faint } = value;
    const { matrix, row, name } = map;
    const sides = { queries: map.queries.tokens, keys: map.keys.tokens };
    const place = shownPlaces(map, value);
    const window = { rows: shownRange(map.queries, look.rows), cols: shownRange(map.keys, look.cols) };
    const isPlain = isUnsigned(stage);
    const limits = limitsOf(stage, matrix, headLoader.distribution(look));
    const kind = faint ? "faint" : "plain";
    const { thumbnails, sheet } = remember(part);
    const painted = stage === "weights" && !map.isChanged ? sheet(palette.bytes[kind]) : null;
    const at = { layer, head, numbering, thumbnails, sheet: painted };
    const choices = choicesOf(scene.queries, scene.keys);
    const isWhole = value.rows === "" && value.cols === "";
    const isExact = matrix !== null && matrix.cellRows === 1 && matrix.cellCols === 1;
    const reader = row && place.query !== null ? sides.queries[place.query] : null;
    return {
      segments: choices.length > 0 ? { choices, rows: value.rows, cols: value.cols } : null,
      matrix: {
        ...{ ...at, ...sides, ...window, ...place, ...inView(map, look), stage, name, matrix, limits },
        paint: isPlain ? palette.weights[kind] : palette.scores,
        pointed: shownPlaces(map, pointed),
        chosenValue: row && place.key !== null ? row[place.key] : null,
      },
      minimap: isWhole ? null : { ...at, ...window, size: { queries: sides.queries.length, keys: sides.keys.length } },
      legend: {
        scale: /** @type {"weight" | "signed"} */ (isPlain ? "weight" : "signed"),
        ...{ limits, faint: isPlain && faint, hasMasked: matrix !== null && isMasked(matrix) },
      },
      table: isExact ? { ...sides, matrix, stage, query: place.query, numbering } : null,
      reads: row && reader && { query: reader, keys: sides.keys, weights: row, stage, key: place.key, numbering },
    };
  };
}
