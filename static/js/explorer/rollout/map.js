/** Shares of the input tokens as a heat map: a row for each layer, a column for each token, at any length. */

import { differs } from "../../base/mount.js";
import { fill } from "../../base/dom.js";
import { atTypeSize } from "../../base/theme/type_scale.js";
import { markCells, markPointed } from "../../charts/heat_map/cell_frames.js";
import { shapeOf } from "../../charts/heat_map/layout.js";
import { createMapFrame } from "../../charts/heat_map/map_frame.js";
import { createMovableWindow } from "../../charts/heat_map/movable_window.js";
import { drawTiles } from "../../charts/heat_map/tile_painter.js";
import { poolWindow } from "./rows.js";

/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} RolloutMapData
 * @property {string} name  for those who do not see it
 * @property {Token[]} layers  their numbers, as labels
 * @property {Token[]} keys
 * @property {Range} rows  layers shown
 * @property {Range} cols  tokens in view
 * @property {Float32Array | null} values  of these rows: rows × keys; null while they are fetched
 * @property {number} layer  the chosen one
 * @property {number | null} key
 * @property {number | null} pointed  a token
 * @property {0 | 1} numbering
 * @property {[number, number]} limits  values at the ends of the colour scale
 * @property {import("../../charts/heat_map/heat_map.js").Paint} paint
 * @property {boolean} labelled  with the tokens above it
 */

/**
 * @typedef {object} RolloutMapOptions
 * @property {(at: {layer: number, key: number | null}, origin: "pick" | "move") => void} onPick
 * @property {(at: {layer: number, key: number} | null) => void} onPoint
 * @property {(cols: Range) => void} onZoom
 * @property {(layer: number, key: number, cells: import("../../base/decode.js").Matrix) => Node[]} describe
 */

/** Heights of a row at the standard size of type: as high as it may be, and as low, whatever the number of layers. */
const ROW = { most: 24, least: 14, sum: 360 };
/** Cells across; more tokens are pooled. */
const MOST_CELLS = 512;
const BARE_TOP = 2;

/**
 * @param {HTMLElement} element
 * @param {RolloutMapData} data
 * @param {RolloutMapOptions} options
 * @returns {import("../../base/mount.js").View<RolloutMapData>}
 */
export function rolloutMapView(element, data, options) {
  let current = data;
  /** @type {{layer: number, key: number} | null} */
  let looked = null;
  let shape = sizesOf(element, data);
  const view = createMovableWindow(placeOf(data), {
    hasFixedRows: true,
    onMove: paint,
    onRest() {
      options.onZoom(view.settled().cols);
      draw();
    },
  });
  let cells = pooled(data, view.now().cols);
  const map = createMapFrame(element, view, {
    draw,
    chosen: () => ({ query: current.layer, key: current.key }),
    onPoint({ query: layer, key }) {
      looked = layer === null || key === null ? null : { layer, key };
      options.onPoint(looked);
      drawPointed();
    },
    onTap: ({ query: layer, key }) => layer !== null && options.onPick({ layer, key }, "pick"),
    onStep({ query: layer, key }) {
      options.onPick({ layer, key }, "move");
      current = { ...current, layer, key }; // the next key may come before the next frame
    },
  });
  map.parts.frame.setAttribute("aria-describedby", "rollout-keys");
  fill(element, map.parts.frame);
  draw();

  function draw() {
    if (element.clientWidth === 0) return;
    shape = sizesOf(element, current);
    map.layOut(shape, current.name);
    map.parts.frame.setAttribute("aria-busy", String(current.values === null || !view.isStill()));
    paint();
  }

  function paint() {
    const { layers: queries, keys, numbering, limits, paint: colors, labelled, layer: query, key } = current;
    cells = pooled(current, view.now().cols);
    map.paint(shape, { queries, keys: labelled ? keys : [], numbering, colors }, (target, drawing) =>
      drawTiles(target, cells ? [cells] : [], { paint: colors, limits }, drawing),
    );
    markCells(map.parts, shape.inner, view.now(), { query, key });
    drawPointed();
  }

  function drawPointed() {
    const pointed = { query: looked?.layer ?? null, key: looked?.key ?? current.pointed };
    markPointed(map.parts, shape.inner, view.now(), { pointed, matrix: cells });
    map.showTip(looked && cells && view.isStill() ? options.describe(looked.layer, looked.key, cells) : null);
  }

  return {
    update(next) {
      const before = current;
      current = next;
      if (next.keys !== before.keys || next.layers.length !== before.layers.length) looked = null; // of other cells
      view.follow(placeOf(next), next.keys !== before.keys);
      if (differs({ ...before, pointed: null }, { ...next, pointed: null })) draw();
      else drawPointed();
    },
    destroy: map.destroy,
  };
}

/**
 * @param {RolloutMapData} data
 * @returns {import("../../charts/heat_map/movable_window.js").Place}
 */
function placeOf({ rows, cols, layers, keys }) {
  return { rows, cols, size: { queries: layers.length, keys: keys.length } };
}

/**
 * @param {HTMLElement} element  in which it stands
 * @param {RolloutMapData} data
 */
function sizesOf(element, { rows, cols, keys, layers, numbering, labelled }) {
  const { inner, font } = shapeOf(element, { rows, cols, queries: layers, keys, numbering });
  const count = rows[1] - rows[0];
  const row = Math.min(ROW.most, Math.max(ROW.least, Math.floor(ROW.sum / count)));
  const height = count * Math.round(atTypeSize(row));
  const top = labelled ? inner.top : BARE_TOP;
  const width = Math.max(80, element.clientWidth - inner.left - BARE_TOP);
  const box = { left: inner.left, top, width, height };
  return { inner: box, width: inner.left + width + BARE_TOP, height: top + height + BARE_TOP, font };
}

/**
 * What is in view, of no more cells than can be told apart.
 * @param {RolloutMapData} data
 * @param {Range} cols
 */
function pooled({ values, keys, rows }, [first, end]) {
  if (values === null) return null;
  const cols = /** @type {Range} */ ([Math.floor(first), Math.min(Math.ceil(end), keys.length)]);
  return { ...poolWindow(values, keys.length, { rows: [0, rows[1] - rows[0]], cols }, MOST_CELLS), rows };
}
