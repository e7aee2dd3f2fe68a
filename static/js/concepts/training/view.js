/** What every head reads on the example: small maps of all heads, one of them large, and one query's row as bars. */

import { byteColors } from "../../base/color.js";
import { el, fill, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { context } from "../../charts/thumbnail_sheet.js";
import { scaleStops } from "../../base/theme.js";

/** @typedef {import("./run.js").Update} Update */
/** @typedef {import("./run.js").Role} Role */

/**
 * @typedef {object} TrainingData
 * @property {Update} update  shown
 * @property {Update | null} kept  of the run kept beside, if it has as many layers and heads
 * @property {number} layers
 * @property {number} heads
 * @property {number} layer  chosen
 * @property {number} head
 * @property {string[]} example
 * @property {number} formed  score above which a head has a role
 * @property {string} theme  what the colours depend on
 */

/** Of the curves: the last colour is for what is drawn beside. */
export const COLOURS = 7;

/**
 * @param {HTMLElement} element
 * @param {TrainingData} data
 * @param {{onPick: (layer: number, head: number) => void}} options
 * @returns {import("../../api/types.js").View<TrainingData>}
 */
export function trainingView(element, data, { onPick }) {
  const grid = el("div", { class: "train-grid", role: "group", "aria-label": t("All heads on the example") });
  const map = el("canvas", { class: "train-map" });
  const cross = el("div", { class: "train-cross", "aria-hidden": "true" });
  const frame = el("div", { class: "train-frame", role: "application", tabindex: 0 }, map, cross);
  const title = el("h3", { class: "train-title" });
  const readout = el("p", { class: "train-readout", role: "status" });
  const strip = el("ol", { class: "train-strip" });
  const axes = el("p", { class: "axes" });
  fill(axes, el("span", { class: "is-query" }, t("query ↓")), " ", t("reads from"), " ");
  axes.append(el("span", { class: "is-key" }, t("key →")));
  const caption = el("p", { class: "note" }, t("The row of this query, token by token:"));
  const large = el("div", { class: "train-large" }, title, axes, frame, readout, caption, strip);
  fill(element, grid, large);

  let shown = data;
  let colours = byteColors(scaleStops("weight"), Math.sqrt);
  let theme = data.theme;
  /** @type {{button: HTMLButtonElement, canvas: HTMLCanvasElement, ghost: HTMLCanvasElement, tags: HTMLElement, says: HTMLElement}[]} */
  let tiles = [];
  /** @type {{bar: HTMLElement, token: HTMLElement}[]} */
  let tokens = [];
  const at = { query: data.update.size - 2, key: -1 };

  frame.addEventListener("pointermove", onPointer);
  frame.addEventListener("pointerdown", onPointer);
  frame.addEventListener("keydown", onKey);

  /** @param {PointerEvent} event */
  function onPointer(event) {
    const box = map.getBoundingClientRect();
    const size = shown.update.size;
    const place = (/** @type {number} */ share) => Math.min(Math.max(Math.floor(share * size), 0), size - 1);
    at.query = place((event.clientY - box.top) / box.height);
    at.key = place((event.clientX - box.left) / box.width);
    drawReading();
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const last = shown.update.size - 1;
    at.query = Math.min(Math.max(at.query + by[0], 0), last);
    at.key = Math.min(Math.max((at.key < 0 ? strongest(at.query) : at.key) + by[1], 0), last);
    drawReading();
  }

  /** @param {Update} update @param {number} layer @param {number} head */
  function bytesOf({ maps, size }, layer, head) {
    const cells = size * size;
    const start = (layer * shown.heads + head) * cells;
    return maps.subarray(start, start + cells);
  }

  /** @param {number} query */
  function rowOf(query) {
    const { size } = shown.update;
    return bytesOf(shown.update, shown.layer, shown.head).subarray(query * size, (query + 1) * size);
  }

  /** @param {number} query */
  function strongest(query) {
    const row = rowOf(query);
    return row.indexOf(Math.max(...row));
  }

  /** @param {HTMLCanvasElement} canvas @param {Uint8Array} bytes @param {number} size */
  function paint(canvas, bytes, size) {
    if (canvas.width !== size) canvas.width = canvas.height = size;
    const image = new ImageData(size, size);
    const pixels = new Uint32Array(image.data.buffer);
    for (let cell = 0; cell < bytes.length; cell++) pixels[cell] = colours[bytes[cell]];
    context(canvas).putImageData(image, 0, 0);
  }

  function build() {
    tiles = Array.from({ length: shown.layers * shown.heads }, (_, index) => {
      const [layer, head] = [Math.floor(index / shown.heads), index % shown.heads];
      const canvas = el("canvas", { "aria-hidden": "true" });
      const ghost = el("canvas", { "aria-hidden": "true", class: "is-ghost" });
      const tags = el("span", { class: "train-tags", "aria-hidden": "true" });
      const says = el("span", { class: "visually-hidden" });
      const line = svg("path", { class: `mark-line series-${index % COLOURS}`, d: "M0 5H22" });
      const sample = svg("svg", { class: "mark-key", viewBox: "0 0 22 10", width: 22, height: 10 }, line);
      const name = el("span", { class: "train-name", "aria-hidden": "true" }, `${layer}.${head}`, sample);
      const pick = () => onPick(layer, head);
      const pictures = el("span", { class: "train-pictures" }, canvas, ghost);
      const button = el("button", { type: "button", class: "train-tile", onclick: pick }, says, name, pictures, tags);
      return { button, canvas, ghost, tags, says };
    });
    const rows = Array.from({ length: shown.layers }, (_, layer) =>
      el(
        "div",
        { class: "train-layer" },
        el("span", { class: "train-layer-name" }, t("layer {layer}", { layer })),
        ...tiles.slice(layer * shown.heads, (layer + 1) * shown.heads).map((tile) => tile.button),
      ),
    );
    fill(grid, ...rows);
    tokens = shown.example.map((word) => {
      const bar = el("span", { class: "train-bar", "aria-hidden": "true" });
      return { bar, token: el("li", { class: "train-token" }, bar, word) };
    });
    fill(strip, ...tokens.map((one) => one.token));
  }

  /** @param {TrainingData} next */
  function draw(next) {
    const isOther =
      next.layers * next.heads !== tiles.length || next.layers !== shown.layers || next.example !== shown.example;
    shown = next;
    if (isOther || tiles.length === 0) build();
    if (next.theme !== theme) {
      theme = next.theme;
      colours = byteColors(scaleStops("weight"), Math.sqrt);
    }
    tiles.forEach((tile, index) => drawTile(tile, Math.floor(index / next.heads), index % next.heads));
    paint(map, bytesOf(next.update, next.layer, next.head), next.update.size);
    const names = { head: `${next.layer}.${next.head}`, step: next.update.step };
    title.textContent = t("Head {head} at step {step}", names);
    frame.setAttribute(
      "aria-label",
      t("Map of head {head}: arrow keys move from query to query and key to key", names),
    );
    drawReading();
  }

  /** @param {(typeof tiles)[number]} tile @param {number} layer @param {number} head */
  function drawTile({ button, canvas, ghost, tags, says }, layer, head) {
    const { update, kept, formed } = shown;
    paint(canvas, bytesOf(update, layer, head), update.size);
    ghost.hidden = kept === null;
    if (kept) paint(ghost, bytesOf(kept, layer, head), kept.size);
    const isChosen = layer === shown.layer && head === shown.head;
    button.setAttribute("aria-pressed", String(isChosen));
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

  function drawReading() {
    const { size } = shown.update;
    const key = at.key < 0 ? strongest(at.query) : at.key;
    const row = rowOf(at.query);
    cross.style.setProperty("--row", String(at.query / size));
    cross.style.setProperty("--column", String(key / size));
    cross.style.setProperty("--cell", String(1 / size));
    readout.textContent = t("Query {query} (“{token}”) reads {weight} from key {key} (“{other}”)", {
      query: at.query,
      token: shown.example[at.query],
      weight: fixed(row[key] / 255, 2),
      key,
      other: shown.example[key],
    });
    tokens.forEach(({ bar, token }, index) => {
      bar.style.setProperty("--weight", String(row[index] / 255));
      token.classList.toggle("is-now", index === at.query);
      token.classList.toggle("is-later", index > at.query);
    });
  }

  draw(data);
  return {
    update: draw,
    destroy() {
      element.replaceChildren();
    },
  };
}
