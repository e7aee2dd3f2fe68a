/** Data of each part of the matrix view: matrix, minimap, legend, table, and the row of the chosen query. */

import { isMasked, isUnsigned, limitsOf } from "../../charts/heat_map/scales.js";
import { matrixMaxima, scaleFor, thumbnailMaxima } from "../../charts/heat_map/auto_scale.js";
import { remembering } from "../../base/memoise.js";
import { segmentChoices } from "../state/segments.js";
import { cellName } from "../../charts/heat_map/cell_text.js";
import { notesOf } from "../state/figure_notes.js";
import { withoutMasked } from "../state/allowed_keys.js";
import { shownPlaces, shownRange } from "../state/arrangement.js";

/** @typedef {import("../data/head_loader.js").Look} Look */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../widgets/panel.js").Bench} Bench */
/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {import("./shown_map.js").ShownMap} ShownMap */

/**
 * The notes as numbers in the cells in which they stand.
 * @param {import("../state/figure_notes.js").FigureNote[]} notes
 * @param {ShownMap} map
 */
const markNotes = remembering(
  (/** @type {import("../state/figure_notes.js").FigureNote[]} */ notes, /** @type {ShownMap} */ map) =>
    notes.map((note, index) => ({ ...shownPlaces(map, note), number: index + 1 })),
);

/**
 * @param {import("../state/figure_notes.js").FigureNote[]} notes
 * @param {Pick<import("../state/view_state.js").ViewState, "query" | "key" | "numbering">} value
 * @param {Pick<Scene, "queries" | "keys">} sides
 * @returns {import("./cell_notes.js").CellNotesData}
 */
function listNotes(notes, { query, key, numbering }, { queries, keys }) {
  const nameOf = (/** @type {{query: number, key: number}} */ cell) =>
    cellName(queries[cell.query], keys[cell.key], numbering);
  const isCell = query !== null && key !== null;
  const own = isCell ? notes.find((note) => note.query === query && note.key === key) : undefined;
  return {
    notes: notes.map((note) => ({ note, name: nameOf(note) })),
    chosen: isCell ? { query, key, name: nameOf({ query, key }), text: own?.text ?? "" } : null,
  };
}

/**
 * The row of the chosen query.
 * @param {Scene} scene
 * @param {ShownMap} map
 * @param {{query: number | null, key: number | null}} place  chosen, in the map
 * @param {typeof withoutMasked} listed
 */
function rowOf({ value: { stage, numbering }, part }, { queries, keys, row, isMasked }, { query, key }, listed) {
  const reader = row && query !== null ? queries.tokens[query] : null;
  if (!row || !reader) return null;
  const isWhole = keys.tokens.length === part.key_tokens;
  return {
    query: reader,
    keys: keys.tokens,
    stage,
    key,
    numbering,
    weights: listed(row, isMasked, query ?? 0),
    hasSink: !!part.sink_shares && isWhole && stage === "weights",
  };
}

/**
 * How the map is coloured. The scale of a head's weights is that of its thumbnail, which does not change while zooming;
 * of a map that is another, its own.
 * @param {Pick<Bench, "headLoader" | "remember">} bench
 */
function createColours({ headLoader, remember }) {
  const maximaOf = remembering(matrixMaxima);
  const zeroTo = remembering((/** @type {number} */ end) => /** @type {[number, number]} */ ([0, end]));

  /**
   * @param {import("../../charts/heat_map/auto_scale.js").Wanted} faint
   * @param {ShownMap} map
   * @param {import("../../base/decode.js").Thumbnails} thumbnails
   * @param {Look} look
   */
  function scaleOf(faint, { isChanged, matrix }, thumbnails, look) {
    if (isChanged) return scaleFor(faint, matrix ? maximaOf(matrix) : []);
    return scaleFor(faint, thumbnailMaxima(thumbnails, look));
  }

  /**
   * @param {Scene} scene
   * @param {ShownMap} map
   * @param {Look} look
   */
  return function coloursOf({ value: { stage, faint }, part, palette }, map, look) {
    const { thumbnails, sheet } = remember(part);
    const scale = stage === "weights" ? scaleOf(faint, map, thumbnails, look) : { end: 0, isFaint: faint === "1" };
    const limits = scale.end > 0 ? zeroTo(scale.end) : limitsOf(stage, map.matrix, headLoader.distribution(look));
    const kind = scale.isFaint ? "faint" : "plain";
    // Thumbnails are painted from 0 to 1.
    const painted = scale.end === 1 && !map.isChanged ? sheet(palette.bytes[kind]) : null;
    return { scale, limits, thumbnails, painted, paint: isUnsigned(stage) ? palette.weights[kind] : palette.scores };
  };
}

/**
 * The loaded tiles of the map, and the ranges that failed.
 * @param {Pick<Bench, "headLoader">} bench
 */
function createTiles({ headLoader }) {
  const wholeOf = remembering((/** @type {number} */ queries, /** @type {number} */ keys) => [
    { rows: /** @type {Range} */ ([0, queries]), cols: /** @type {Range} */ ([0, keys]) },
  ]);

  /**
   * @param {ShownMap} map
   * @param {Look} look
   */
  return function tilesOf({ isChanged, matrix, failure, queries, keys }, look) {
    if (!isChanged) {
      const { tiles, missing } = headLoader.tiles(look);
      return { tiles, missing };
    }
    const isMissing = matrix === null && failure?.kind === "failed";
    return { tiles: [], missing: isMissing ? wholeOf(queries.tokens.length, keys.tokens.length) : [] };
  };
}

/** @param {Pick<Bench, "headLoader" | "remember">} bench */
export function createMatrixData(bench) {
  const choicesOf = remembering(segmentChoices);
  const noted = remembering(notesOf);
  const listed = remembering(withoutMasked);
  const coloursOf = createColours(bench);
  const tilesOf = createTiles(bench);

  /**
   * @param {Scene} scene
   * @param {ShownMap} map
   * @param {Look} look
   */
  return function dataOf(scene, map, look) {
    const { value, part, pointed } = scene;
    const { layer, head, stage, numbering, faint } = value;
    const { matrix, row, name, isMasked: isHidden } = map;
    const sides = { queries: map.queries.tokens, keys: map.keys.tokens };
    const place = shownPlaces(map, value);
    const window = { rows: shownRange(map.queries, look.rows), cols: shownRange(map.keys, look.cols) };
    const { scale, limits, thumbnails, painted, paint } = coloursOf(scene, map, look);
    const picture = { layer, head, numbering, thumbnails, sheet: painted };
    const choices = choicesOf(scene.queries, scene.keys);
    const isWhole = value.rows === "" && value.cols === "";
    const isExact = matrix !== null && matrix.cellRows === 1 && matrix.cellCols === 1;
    const isPlain = isUnsigned(stage);
    const notes = noted(value.notes, value.part, layer, head, part);
    const size = { queries: sides.queries.length, keys: sides.keys.length };
    return {
      scale: faint === "" && stage === "weights" ? scale : null,
      segments: choices.length > 0 ? { choices, rows: value.rows, cols: value.cols } : null,
      matrix: {
        ...picture,
        ...sides,
        ...window,
        ...place,
        ...tilesOf(map, look),
        stage,
        name,
        matrix,
        limits,
        paint,
        pointed: shownPlaces(map, pointed),
        chosenValue: row && place.key !== null ? row[place.key] : null,
        notes: markNotes(notes, map),
        isMasked: isHidden,
      },
      minimap: isWhole ? null : { ...picture, ...window, size },
      legend: {
        scale: /** @type {"weight" | "signed"} */ (isPlain ? "weight" : "signed"),
        limits,
        faint: isPlain && scale.isFaint,
        hasMasked: matrix !== null && isMasked(matrix),
      },
      table: isExact ? { ...sides, matrix, stage, query: place.query, numbering, isMasked: isHidden } : null,
      notes: listNotes(notes, value, scene),
      reads: rowOf(scene, map, place, listed),
    };
  };
}
