/** Points in the plane: drag them, see what one reads of the others, and where three ways of reading put it. */

import { drawnView, queriesByKeys, titledPlaces } from "../frame/views.js";
import { mount } from "../../base/mount.js";
import { el, fill, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { barsMark } from "../../charts/bars.js";
import { lowered } from "../../base/numbers.js";
import { matrixMark } from "../../charts/matrix.js";
import { inline, matrix, name, sub } from "../../base/maths/mathml.js";
import { n } from "../../base/maths/formula_terms.js";
import { FAR, queryWeight, READINGS } from "./state.js";

/** @typedef {import("./state.js").Reading} Reading */

/** @typedef {import("./state.js").KernelData} KernelData */
/** @typedef {import("../frame/concept.js").ConceptView<KernelData>} View */
/** @typedef {import("../frame/concept.js").Tools<import("./state.js").KernelState>} Tools */

const UNIT = 50;
const HALF = FAR * UNIT;
const STEP = 0.1;
/** @type {Record<string, [number, number]>} */
const KEYS = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] };

/** @returns {Record<Reading, string>} */
function names() {
  return { rbf: "RBF", polynomial: t("polynomial"), attention: t("attention") };
}

/** @type {View} */
export const kernelView = drawnView((element, tools) => {
  const plane = createPlane(tools);
  const bars = el("div", {});
  fill(element, el("div", { class: "kernel-picture" }, plane.picture), bars);
  const drawBars = mount(bars, barsMark, { onPick: (key) => tools.set({ key }, "switch") });
  return (data) => {
    element.dataset.reading = data.state.reading;
    plane.draw(data);
    drawBars(barsOf(data));
  };
});

/** The weights of all points, side by side. @type {View} */
export const kernelMatricesView = drawnView((element, { set }) => {
  const boxes = titledPlaces(
    element,
    READINGS.map((reading) => names()[reading]),
    "kernel-matrix",
    [2, 3, 4],
  );
  const onPick = (/** @type {{row: number, column: number}} */ cell) =>
    set({ query: cell.row, key: cell.column }, "switch");
  const marks = boxes.map((box) => mount(box, matrixMark, { onPick }));
  return (data) => READINGS.forEach((reading, index) => marks[index](matrixOf(data, reading)));
});

/** The points, to be dragged or moved by keys. @param {Tools} tools */
function createPlane(tools) {
  const box = `${-HALF - 10} ${-HALF - 10} ${2 * HALF + 20} ${2 * HALF + 20}`;
  const name = { role: "group", "aria-label": t("Points in the plane") };
  const picture = svg("svg", { class: "kernel-plane", viewBox: box, ...name });
  const lines = svg("g", { class: "kernel-lines" });
  const [dots, outputs] = [svg("g"), svg("g")];
  fill(picture, ground(), lines, dots, outputs);
  const hold = bindDragging(picture, tools);
  /** @type {SVGGElement[]} */
  let handles = [];

  /** @param {KernelData} data */
  function draw(data) {
    const { state, readings } = data;
    const { points } = data.answer;
    if (handles.length !== points.length) {
      handles = points.map((_, index) => handleOf(index, hold, tools));
      fill(dots, ...handles);
    }
    const { weights } = readings[state.reading];
    const from = place(points[state.query]);
    const lineOf = (/** @type {number[]} */ point, /** @type {number} */ index) =>
      lineTo(from, place(point), weights[state.query][index]);
    fill(lines, ...points.map(lineOf));
    handles.forEach((handle, index) => tell(handle, data, index));
    fill(
      outputs,
      ...READINGS.map((reading, index) => output(readings[reading].output[state.query], index, names()[reading])),
    );
  }
  return { picture, draw };
}

/**
 * @param {SVGSVGElement} picture
 * @param {Tools} tools
 * @returns {(index: number, pointer: number) => void}  takes hold of a point
 */
function bindDragging(picture, tools) {
  let held = -1;
  picture.addEventListener("pointermove", (event) => {
    if (held < 0) return;
    const { left, top, width } = picture.getBoundingClientRect();
    const unit = (2 * HALF + 20) / width;
    const x = ((event.clientX - left) * unit - HALF - 10) / UNIT;
    const y = -((event.clientY - top) * unit - HALF - 10) / UNIT;
    movePoint(tools, held, [x, y], "move");
  });
  for (const kind of ["pointerup", "pointercancel"]) picture.addEventListener(kind, () => (held = -1));
  return (index, pointer) => {
    held = index;
    picture.setPointerCapture(pointer);
  };
}

/** @param {Tools} tools @param {number} index @param {[number, number]} point @param {"move" | "type"} origin */
function movePoint({ set, latest }, index, point, origin) {
  set({ points: latest().points.map((old, place) => (place === index ? within(point) : old)) }, origin);
}

/**
 * @param {number} index
 * @param {(index: number, pointer: number) => void} hold
 * @param {Tools} tools
 */
function handleOf(index, hold, tools) {
  const handle = svg(
    "g",
    { class: "kernel-point", tabindex: 0, role: "slider" },
    svg("circle", { class: "kernel-grip", r: 14 }),
    svg("circle", { class: "kernel-dot", r: 6 }),
    svg("text", { x: 9, y: -8 }, `x${lowered(index)}`),
  );
  handle.addEventListener("pointerdown", (event) => {
    hold(index, event.pointerId);
    tools.set({ query: index }, "switch");
    handle.focus();
    event.preventDefault();
  });
  handle.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") tools.set({ query: index }, "switch");
    else if (event.key in KEYS) {
      // What is drawn may be an answer behind.
      const [x, y] = tools.latest().points[index];
      const fine = event.shiftKey ? 0.2 : 1;
      movePoint(tools, index, [x + fine * KEYS[event.key][0], y + fine * KEYS[event.key][1]], "type");
    } else return;
    event.preventDefault();
  });
  return handle;
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
 * @param {KernelData} data
 * @param {number} index
 */
function tell(handle, { state: { reading, query, key }, answer: { points }, readings }, index) {
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
  handle.setAttribute("aria-valuetext", t("x {x}, y {y}; weight from point {query}: {weight}", said));
}

/**
 * Where a reading puts the query: a shape for each, so that colour is not the only channel.
 * @param {number[]} point
 * @param {number} index
 * @param {string} name
 */
function output(point, index, name) {
  const bounded = point.map((value) => Math.min(Math.max(value, -FAR), FAR));
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
    ...marks.flatMap((mark) => [
      svg("line", { class: mark === 0 ? "is-axis" : "", x1: mark, x2: mark, y1: -HALF, y2: HALF }),
      svg("line", { class: mark === 0 ? "is-axis" : "", x1: -HALF, x2: HALF, y1: mark, y2: mark }),
    ]),
  );
}

/** Attention's own matrices. @type {View} */
export const weightView = drawnView((element) => ({ state }) => {
  const rows = queryWeight(state).map((row) => row.map((value) => n(value, 2)));
  const [query, key] = ["q", "k"].map((role) => sub(name("W"), name(role)));
  fill(element, inline(query, "=", matrix(rows)), inline(key, "=", name("I")));
});

/** @param {KernelData} data */
function barsOf({ state: { query, key }, answer: { points }, readings }) {
  return {
    title: t("What point {query} attends to", { query }),
    names: symbols(points),
    series: READINGS.map((reading, index) => ({
      name: names()[reading],
      values: readings[reading].weights[query],
      colour: index,
    })),
    chosen: key,
  };
}

/** @param {unknown[]} points */
function symbols(points) {
  return points.map((_, index) => `x${lowered(index)}`);
}

/**
 * @param {KernelData} data
 * @param {Reading} reading
 * @returns {import("../../charts/matrix.js").MatrixMark}
 */
function matrixOf({ state: { query, key }, answer: { points }, readings }, reading) {
  const values = readings[reading].weights;
  const isSigned = values.flat().some((value) => value < 0);
  return {
    title: t("Weights: {name}", { name: names()[reading] }),
    values,
    rows: symbols(points),
    columns: symbols(points),
    ...queriesByKeys(),
    scale: isSigned ? "signed" : "weight",
    chosen: { row: query, column: key },
  };
}
