/** Points in the plane: drag them, see what one reads of the others, and where three ways of reading put it. */

import { el, fill, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { barsMark } from "../../charts/bars.js";
import { below } from "../../charts/matrix_input.js";
import { matrixMark } from "../../charts/matrix.js";
import { FAR, READINGS } from "./state.js";

/** @typedef {import("./state.js").Reading} Reading */

/**
 * @typedef {object} KernelScene
 * @property {number[][]} points
 * @property {Record<Reading, {weights: number[][], output: number[][]}>} readings
 * @property {Reading} reading  whose lines are drawn
 * @property {number} query
 * @property {number} key
 */

/**
 * @typedef {object} KernelOptions
 * @property {() => number[][]} latest  where the points are by now
 * @property {(index: number, point: [number, number], origin: "move" | "type") => void} onMove
 * @property {(at: {query?: number, key?: number}) => void} onPick
 */

const UNIT = 50;
const HALF = FAR * UNIT;
const STEP = 0.1;
/** @type {Record<string, [number, number]>} */
const KEYS = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] };

/** @returns {Record<Reading, string>} */
function names() {
  return { rbf: "RBF", polynomial: t("polynomial"), attention: t("attention") };
}

/**
 * @param {HTMLElement} element
 * @param {KernelScene} data
 * @param {KernelOptions} options
 * @returns {import("../../api/types.js").View<KernelScene>}
 */
export function kernelView(element, data, { latest, onMove, onPick }) {
  const box = `${-HALF - 10} ${-HALF - 10} ${2 * HALF + 20} ${2 * HALF + 20}`;
  const picture = svg("svg", {
    class: "kernel-plane",
    viewBox: box,
    role: "group",
    "aria-label": t("Points in the plane"),
  });
  const lines = svg("g", { class: "kernel-lines" });
  const outputs = svg("g");
  const dots = svg("g");
  const bars = el("div", {});
  const matrices = READINGS.map(() => el("div", { class: "kernel-matrix" }));
  const titles = READINGS.map((reading) => el("h3", {}, names()[reading]));
  fill(picture, ground(), lines, dots, outputs);
  fill(
    element,
    el("div", { class: "kernel-picture" }, picture),
    bars,
    el("div", { class: "kernel-matrices" }, ...matrices.map((one, index) => el("section", {}, titles[index], one))),
  );
  /** @type {SVGGElement[]} */
  let handles = [];
  let held = -1;
  picture.addEventListener("pointermove", onPointer);
  picture.addEventListener("pointerup", () => (held = -1));
  picture.addEventListener("pointercancel", () => (held = -1));

  /** @param {PointerEvent} event */
  function onPointer(event) {
    if (held < 0) return;
    const { left, top, width } = picture.getBoundingClientRect();
    const unit = (2 * HALF + 20) / width;
    const x = ((event.clientX - left) * unit - HALF - 10) / UNIT;
    const y = -((event.clientY - top) * unit - HALF - 10) / UNIT;
    onMove(held, within([x, y]), "move");
  }

  /**
   * @param {KeyboardEvent} event
   * @param {number} index
   */
  function onKey(event, index) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") onPick({ query: index });
    else if (event.key in KEYS) {
      // What is drawn may be an answer behind.
      const [x, y] = latest()[index];
      const fine = event.shiftKey ? 0.2 : 1;
      onMove(index, within([x + fine * KEYS[event.key][0], y + fine * KEYS[event.key][1]]), "type");
    } else return;
    event.preventDefault();
  }

  /** @param {number} count */
  function build(count) {
    handles = Array.from({ length: count }, (_, index) => {
      const handle = svg(
        "g",
        { class: "kernel-point", tabindex: 0, role: "slider" },
        svg("circle", { class: "kernel-grip", r: 14 }),
        svg("circle", { class: "kernel-dot", r: 6 }),
        svg("text", { x: 9, y: -8 }, `x${below(index)}`),
      );
      handle.addEventListener("pointerdown", (event) => {
        held = index;
        picture.setPointerCapture(event.pointerId);
        onPick({ query: index });
        handle.focus();
        event.preventDefault();
      });
      handle.addEventListener("keydown", (event) => onKey(event, index));
      return handle;
    });
    fill(dots, ...handles);
  }

  /** @param {KernelScene} next */
  function draw(next) {
    const { points, readings, reading, query } = next;
    if (handles.length !== points.length) build(points.length);
    const weights = readings[reading].weights[query];
    const from = place(points[query]);
    fill(lines, ...points.map((point, index) => lineTo(from, place(point), weights[index])));
    handles.forEach((handle, index) => tell(handle, next, index));
    fill(outputs, ...READINGS.map((one, index) => output(readings[one].output[query], index, names()[one])));
    element.dataset.reading = reading;
  }

  draw(data);
  const marks = {
    bars: barsMark(bars, barsOf(data), { onPick: (key) => onPick({ key }) }),
    matrices: READINGS.map((reading, index) =>
      matrixMark(matrices[index], matrixOf(data, reading), {
        onPick: ({ row, column }) => onPick({ query: row, key: column }),
      }),
    ),
  };
  return {
    update(next) {
      draw(next);
      marks.bars.update(barsOf(next));
      marks.matrices.forEach((mark, index) => mark.update(matrixOf(next, READINGS[index])));
    },
    destroy() {
      marks.bars.destroy();
      element.replaceChildren();
    },
  };
}

/** @param {number[]} point */
function place([x, y]) {
  return [x * UNIT, -y * UNIT];
}

/** @param {number[]} point @returns {[number, number]} */
function within([x, y]) {
  const bounded = (/** @type {number} */ value) => Number(Math.min(Math.max(value, -FAR), FAR).toFixed(2)) + 0;
  return [bounded(x), bounded(y)];
}

/** Line strength is the weight; a negative one is dashed. */
function lineTo(/** @type {number[]} */ [x1, y1], /** @type {number[]} */ [x2, y2], /** @type {number} */ weight) {
  const size = Math.min(Math.abs(weight), 1);
  const width = 14 * size;
  return svg("line", { class: weight < 0 ? "is-negative" : "", x1, y1, x2, y2, "stroke-width": Math.max(width, 0.2) });
}

/**
 * @param {SVGGElement} handle
 * @param {KernelScene} scene
 * @param {number} index
 */
function tell(handle, { points, readings, reading, query, key }, index) {
  const [x, y] = place(points[index]);
  const weight = readings[reading].weights[query][index].toFixed(3);
  handle.setAttribute("transform", `translate(${x} ${y})`);
  handle.classList.toggle("is-query", index === query);
  handle.classList.toggle("is-chosen", index === key);
  handle.setAttribute("aria-label", t("Point {index}", { index }));
  handle.setAttribute("aria-valuenow", String(points[index][0]));
  handle.setAttribute("aria-valuemin", String(-FAR));
  handle.setAttribute("aria-valuemax", String(FAR));
  const said = { x: points[index][0], y: points[index][1], query, weight };
  handle.setAttribute("aria-valuetext", t("x {x}, y {y}; point {query} reads it with {weight}", said));
}

/**
 * Where a reading puts the query: a shape for each, so that colour is not the only channel.
 * @param {number[]} point
 * @param {number} index
 * @param {string} name
 */
function output(point, index, name) {
  const bounded = point.map((one) => Math.min(Math.max(one, -FAR), FAR));
  const [x, y] = place(bounded);
  const shapes = ["M-6 -6H6V6H-6Z", "M0 -8L8 6H-8Z", "M0 -8L8 0L0 8L-8 0Z"];
  return svg(
    "g",
    { class: `kernel-output series-${index}`, transform: `translate(${x} ${y})` },
    svg("path", { d: shapes[index] }),
    svg("title", {}, name),
  );
}

function ground() {
  const marks = Array.from({ length: 2 * FAR + 1 }, (_, index) => (index - FAR) * UNIT);
  return svg(
    "g",
    { class: "kernel-ground" },
    ...marks.flatMap((at) => [
      svg("line", { class: at === 0 ? "is-axis" : "", x1: at, x2: at, y1: -HALF, y2: HALF }),
      svg("line", { class: at === 0 ? "is-axis" : "", x1: -HALF, x2: HALF, y1: at, y2: at }),
    ]),
  );
}

/** @param {KernelScene} scene */
function barsOf({ readings, query, key, points }) {
  return {
    title: t("What point {query} reads", { query }),
    names: points.map((_, index) => `x${below(index)}`),
    series: READINGS.map((reading, index) => ({
      name: names()[reading],
      values: readings[reading].weights[query],
      colour: index,
    })),
    chosen: key,
  };
}

/**
 * @param {KernelScene} scene
 * @param {Reading} reading
 * @returns {import("../../charts/matrix.js").MatrixMark}
 */
function matrixOf({ readings, query, key, points }, reading) {
  const symbols = points.map((_, index) => `x${below(index)}`);
  const values = readings[reading].weights;
  const isSigned = values.flat().some((one) => one < 0);
  return {
    title: t("Weights: {name}", { name: names()[reading] }),
    values,
    rows: symbols,
    columns: symbols,
    rowRole: "query",
    columnRole: "key",
    scale: isSigned ? "signed" : "weight",
    axes: t("query ↓ reads from key →"),
    chosen: { row: query, column: key },
  };
}
