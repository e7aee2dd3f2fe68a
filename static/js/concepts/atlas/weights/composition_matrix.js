/** Composition scores of all pairs of heads as a matrix: a column for each head that writes, a row for each that reads. */

import { cssColor, mix } from "../../../base/theme/color.js";
import { el, fill, say } from "../../../base/dom.js";
import { fixed } from "../../../base/numbers.js";
import { t } from "../../../base/i18n.js";
import { onThemeChange, scaleStops } from "../../../base/theme/theme.js";
import { steppedTo, tellCell } from "../../../charts/cell_choice.js";
import { headCode } from "../../../wording/labels.js";
import { createShown } from "../redrawing.js";
import { drawnView } from "../../../base/mount.js";

/** @typedef {import("../state.js").AtlasData} AtlasData */
/** @typedef {import("../../../api/atlases.js").Composition} Composition */
/** @typedef {{row: number, column: number}} At  indices of the head that reads and of the one that writes */

/** Pixels of a cell as it is painted; the sheet has the size on the screen. */
const CELL = 6;
const DIGITS = 3;

/** @type {import("../state.js").AtlasView} */
export const compositionView = (element, data, { set }) => {
  const parts = createParts(element);
  const { canvas, frame } = parts;
  let current = data;
  const isShown = createShown();
  /** @type {At} */
  let cell = { row: 0, column: 0 };
  const stopTheme = onThemeChange(() => paintScores(canvas, scores()));

  frame.addEventListener("keydown", onKey);
  frame.addEventListener("pointermove", (event) => tell(spotOf(event)));
  frame.addEventListener("click", (event) => {
    tell(spotOf(event));
    choose();
  });

  const scores = () => /** @type {number[][]} */ (current.answer.composition?.[current.state.composed] ?? [[]]);

  /** @param {PointerEvent | MouseEvent} event */
  const spotOf = (event) => cellUnder(event, frame.getBoundingClientRect(), scores().length);

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const next = steppedTo(event, cell, scores());
    const isChoice = event.key === "Enter" || event.key === " ";
    if (!next && !isChoice) return;
    event.preventDefault();
    event.stopPropagation();
    if (next) tell(next);
    else choose();
  }

  /** The head that reads becomes the page's. */
  function choose() {
    const { composition, at: head } = current.answer;
    if (composition && head) set({ part: head.part, ...headAt(composition, cell.row) }, "pick");
  }

  /** @param {At} next */
  function tell(next) {
    cell = next;
    const { composition } = current.answer;
    if (composition) tellPair(parts, composition, scores(), cell);
  }

  /** @param {AtlasData} next */
  function update(next) {
    current = next;
    const { answer, state } = next;
    const { composition, index } = answer;
    if (state.view !== "weights" || !composition || index < 0) return;
    if (isShown(composition, state.composed, index)) return;
    paintScores(canvas, scores());
    element.style.setProperty("--layers", String(composition.layers));
    nameParts(parts, state.composed, composition, index);
    tell(strongestOf(scores(), index));
  }

  return drawnView(element, data, update, stopTheme);
};

/** @param {HTMLElement} element */
function createParts(element) {
  const canvas = el("canvas", { class: "atlas-composition-cells" });
  const marks = el("div", { class: "atlas-composition-marks", "aria-hidden": "true" });
  const frame = el("div", { class: "atlas-composition-frame", tabindex: 0, role: "slider" }, canvas, marks);
  const across = el("div", { class: "atlas-composition-layers is-across", "aria-hidden": "true" });
  const down = el("div", { class: "atlas-composition-layers is-down", "aria-hidden": "true" });
  const says = el("p", { class: "note atlas-composition-says" });
  const axes = el("p", { class: "axes" }, t("layer that reads ↓ layer that writes →"));
  fill(element, axes, el("div", { class: "atlas-composition" }, across, down, frame), says);
  return { canvas, marks, frame, across, down, says };
}

/**
 * Layers beside the matrix, the chosen head's marks on it, and its name.
 * @param {ReturnType<typeof createParts>} parts
 * @param {"query" | "key" | "value"} composed
 * @param {Composition} composition
 * @param {number} index  of the chosen head
 */
function nameParts({ marks, frame, across, down }, composed, { layers, heads }, index) {
  for (const ruler of [across, down]) {
    fill(ruler, ...Array.from({ length: layers }, (_, layer) => el("span", {}, String(layer))));
  }
  fill(marks, ...marksOf(index, layers * heads));
  const names = { query: t("queries"), key: t("keys"), value: t("values") };
  frame.setAttribute("aria-label", `${t("Composition of all heads")}: ${names[composed]}`);
}

/**
 * The cell under a pointer; beside the matrix, the nearest one.
 * @param {{clientX: number, clientY: number}} pointer
 * @param {Pick<DOMRect, "left" | "top" | "width" | "height">} box
 * @param {number} count  of heads
 * @returns {At}
 */
export function cellUnder({ clientX, clientY }, { left, top, width, height }, count) {
  const index = (/** @type {number} */ share) => Math.min(Math.max(Math.floor(share * count), 0), count - 1);
  return { row: index((clientY - top) / height), column: index((clientX - left) / width) };
}

/**
 * @param {ReturnType<typeof createParts>} parts
 * @param {Composition} composition
 * @param {readonly (readonly number[])[]} scores
 * @param {At} cell
 */
function tellPair({ frame, says }, composition, scores, cell) {
  const words = pairSays(composition, scores, cell);
  say(says, words);
  tellCell(frame, cell, scores, words);
}

/** @param {Composition} composition @param {number} index  of a head, layer by layer */
function headAt({ heads }, index) {
  return { layer: Math.floor(index / heads), head: index % heads };
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {readonly (readonly number[])[]} scores  writing × reading
 */
function paintScores(canvas, scores) {
  const count = scores.length;
  const context = canvas.getContext("2d");
  if (!context || count === 0) return;
  canvas.width = count * CELL;
  canvas.height = count * CELL;
  const most = Math.max(...scores.map((row) => Math.max(...row)), 1e-9);
  const stops = scaleStops("weight");
  scores.forEach((row, writer) =>
    row.forEach((score, reader) => {
      if (score === 0) return;
      context.fillStyle = cssColor(mix(stops, score / most));
      context.fillRect(writer * CELL, reader * CELL, CELL, CELL);
    }),
  );
}

/** The row and the column of a head. @param {number} index @param {number} count */
function marksOf(index, count) {
  const [place, size] = [`${(100 * index) / count}%`, `${100 / count}%`];
  const [row, column] = [el("span", { class: "is-row" }), el("span", { class: "is-column" })];
  Object.assign(row.style, { top: place, height: size });
  Object.assign(column.style, { left: place, width: size });
  return [row, column];
}

/**
 * The strongest pair that a head is part of.
 * @param {readonly (readonly number[])[]} scores  writing × reading
 * @param {number} index
 * @returns {At}
 */
export function strongestOf(scores, index) {
  let best = { row: index, column: index };
  let most = 0;
  scores.forEach((row, other) => {
    if (row[index] > most) [most, best] = [row[index], { row: index, column: other }];
    if (scores[index][other] > most) [most, best] = [scores[index][other], { row: other, column: index }];
  });
  return best;
}

/**
 * @param {Composition} composition
 * @param {readonly (readonly number[])[]} scores  writing × reading
 * @param {At} at
 */
function pairSays({ heads }, scores, { row, column }) {
  const name = (/** @type {number} */ index) => headCode(Math.floor(index / heads), index % heads, 0);
  if (Math.floor(column / heads) >= Math.floor(row / heads)) {
    return t("{reader} reads nothing of {writer}: only later layers read.", {
      reader: name(row),
      writer: name(column),
    });
  }
  const score = fixed(scores[column][row], DIGITS);
  return t("{reader} reads what {writer} writes: {score}", { reader: name(row), writer: name(column), score });
}
