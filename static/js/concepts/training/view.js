/** What every head reads on the example: small maps of all heads, one of them large, and one query's row as bars. */

import { byteColors } from "../../base/theme/color.js";
import { createLargeMap } from "./large_map.js";
import { mapOf } from "./run.js";
import { chartView } from "../frame/views.js";
import { el, fill, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { context } from "../../charts/thumbnail_sheet.js";
import { scaleStops } from "../../base/theme/theme.js";
import { headCode } from "../../wording/labels.js";
import { drawnView } from "../../base/mount.js";

/** @typedef {import("../frame/concept.js").ConceptView<import("./run_source.js").TrainingData>} View */

/** @typedef {import("./run.js").Update} Update */

/**
 * @typedef {object} Maps
 * @property {Update} update  shown
 * @property {boolean} isRecorded  whether it is of a run that was recorded beforehand
 * @property {Update | null} kept  of the run kept beside, if it has as many layers and heads
 * @property {number} layers
 * @property {number} heads
 * @property {number} layer  chosen
 * @property {number} head
 * @property {string[]} example
 * @property {number} formed  score above which a head has a role
 * @property {string} theme  what the colours depend on
 */

/** @typedef {(canvas: HTMLCanvasElement, bytes: Uint8Array, size: number) => void} Paint */
/** @typedef {{button: HTMLButtonElement, canvas: HTMLCanvasElement, ghost: HTMLCanvasElement, tags: HTMLElement, says: HTMLElement}} Tile */

/** Number of curve colours; the next one is grey. */
export const COLOURS = 7;

/** The maps of the step that is shown; nothing before the first. @type {View} */
export const mapsView = chartView(
  trainingView,
  ({ state, answer }) => mapsOf(state, answer),
  (head) => head,
  "switch",
);

/**
 * @param {Readonly<import("./state.js").TrainingState>} state
 * @param {import("./run_source.js").Runs} runs
 * @returns {Maps | null}
 */
function mapsOf(state, { drawn, isRecorded, kept, update }) {
  if (!drawn || !update) return null;
  const { answer } = drawn;
  const { num_layers: layers, num_heads: heads } = answer.config;
  const isAlike = kept !== null && kept.answer.config.num_layers === layers && kept.answer.config.num_heads === heads;
  return {
    update,
    isRecorded,
    kept: isAlike && kept.answer.id !== answer.id ? kept.record.at(update.step) : null,
    layers,
    heads,
    layer: Math.min(state.layer, layers - 1),
    head: Math.min(state.head, heads - 1),
    example: answer.example,
    formed: answer.formed,
    theme: state.theme + String(matchMedia("(prefers-color-scheme: dark)").matches),
  };
}

/**
 * @param {HTMLElement} element
 * @param {Maps} data
 * @param {{onPick: (at: {layer: number, head: number}) => void}} options
 * @returns {import("../../base/mount.js").View<Maps>}
 */
function trainingView(element, data, { onPick }) {
  const tiles = createTiles(onPick);
  const large = createLargeMap(data);
  fill(element, tiles.element, large.element);
  /** @param {Maps} next */
  function update(next) {
    const paint = painter();
    element.toggleAttribute("data-recorded", next.isRecorded);
    tiles.draw(next, paint);
    large.draw(next, paint);
  }
  return drawnView(element, data, update);
}

/** @returns {Paint}  in the colours of the theme */
function painter() {
  const colours = byteColors(scaleStops("weight"), Math.sqrt);
  return (canvas, bytes, size) => {
    if (canvas.width !== size) canvas.width = canvas.height = size;
    const image = new ImageData(size, size);
    const pixels = new Uint32Array(image.data.buffer);
    for (let cell = 0; cell < bytes.length; cell++) pixels[cell] = colours[bytes[cell]];
    context(canvas).putImageData(image, 0, 0);
  };
}

/**
 * Small maps of all heads, a row for each layer.
 * @param {(at: {layer: number, head: number}) => void} onPick
 */
function createTiles(onPick) {
  const element = el("div", { class: "train-grid", role: "group", "aria-label": t("All heads on the example") });
  /** @type {Tile[]} */
  let tiles = [];
  let shape = "";

  /** @param {Maps} data @param {Paint} paint */
  function draw(data, paint) {
    const { layers, heads } = data;
    if (shape !== `${layers} ${heads}`) {
      shape = `${layers} ${heads}`;
      tiles = Array.from({ length: layers * heads }, (_, index) => tileOf(index, heads, onPick));
      const rows = Array.from({ length: layers }, (_, layer) =>
        el(
          "div",
          { class: "train-layer" },
          el("span", { class: "train-layer-name" }, t("layer {layer}", { layer })),
          ...tiles.slice(layer * heads, (layer + 1) * heads).map((tile) => tile.button),
        ),
      );
      fill(element, ...rows);
    }
    tiles.forEach((tile, index) =>
      drawTile(tile, data, { heads, layer: Math.floor(index / heads), head: index % heads }, paint),
    );
  }
  return { element, draw };
}

/**
 * @param {number} index
 * @param {number} heads
 * @param {(at: {layer: number, head: number}) => void} onPick
 * @returns {Tile}
 */
function tileOf(index, heads, onPick) {
  const [layer, head] = [Math.floor(index / heads), index % heads];
  const canvas = el("canvas", { "aria-hidden": "true" });
  const ghost = el("canvas", { "aria-hidden": "true", class: "is-ghost" });
  const tags = el("span", { class: "train-tags", "aria-hidden": "true" });
  const says = el("span", { class: "visually-hidden" });
  const line = svg("path", { class: `mark-line series-${index % COLOURS}`, d: "M0 5H22" });
  const sample = svg("svg", { class: "mark-key", viewBox: "0 0 22 10", width: 22, height: 10 }, line);
  const name = el("span", { class: "train-name", "aria-hidden": "true" }, headCode(layer, head, 0), sample);
  const pictures = el("span", { class: "train-pictures" }, canvas, ghost);
  const pick = { type: "button", class: "train-tile", onclick: () => onPick({ layer, head }) };
  return { button: el("button", pick, says, name, pictures, tags), canvas, ghost, tags, says };
}

/**
 * @param {Tile} tile
 * @param {Maps} data
 * @param {{heads: number, layer: number, head: number}} which
 * @param {Paint} paint
 */
function drawTile({ button, canvas, ghost, tags, says }, { update, kept, formed, ...chosen }, which, paint) {
  const { layer, head } = which;
  paint(canvas, mapOf(update, which), update.size);
  ghost.hidden = kept === null;
  if (kept) paint(ghost, mapOf(kept, which), kept.size);
  button.setAttribute("aria-pressed", String(layer === chosen.layer && head === chosen.head));
  const scores = /** @type {[string, string, number][]} */ ([
    [t("prev"), t("previous token"), update.scores.previous_token[layer][head]],
    [t("ind"), t("induction"), update.scores.induction[layer][head]],
  ]);
  fill(
    tags,
    ...scores.map(([short, , score]) =>
      el("span", { class: score > formed ? "train-tag is-formed" : "train-tag" }, `${short} ${fixed(score, 2)}`),
    ),
  );
  const said = scores.map(([, name, score]) => `${name} ${fixed(score, 2)}`).join(", ");
  says.textContent = t("Layer {layer}, head {head}: {scores}", { layer, head, scores: said });
}
