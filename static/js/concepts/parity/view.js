/** One head's weights from both sides beside each other, their difference, and all heads' differences. */

import { chartView, drawnView, pickCell, queriesByKeys } from "../frame/views.js";
import { partOf, SHOWN } from "./state.js";
import { largest, tidy } from "./steps.js";
import { linePlot } from "../../charts/plots/line_plot.js";
import { mount } from "../../base/mount.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { matrixMark } from "../../charts/matrix.js";
import { small } from "../../base/numbers.js";

/** Start of the log axis; differences of 0 are drawn there. */
const FLOOR = 1e-8;

/** @typedef {import("./state.js").ParityData} ParityData */
/** @typedef {import("../frame/concept.js").ConceptView<ParityData>} View */

/** Ours and the library's. @type {View} */
export const parityView = drawnView((element, tools) => {
  const sides = [side(t("ours"), "ours", tools), side(t("the library's"), "theirs", tools)];
  fill(element, ...sides.map(({ whole }) => whole));
  return (data) => sides.forEach(({ draw }) => draw(data));
});

/** @type {View} */
export const differenceView = drawnView((element, tools) => {
  const { whole, note, draw } = side(t("difference"), "difference", tools);
  fill(element, whole);
  return (data) => {
    draw(data);
    const most = Math.max(...differences(data.answer).flat().map(Math.abs));
    note.textContent = t("colour from −{most} to {most}", { most: small(most) });
  };
});

/**
 * A matrix under its title.
 * @param {string} title
 * @param {"ours" | "theirs" | "difference"} which
 * @param {import("../frame/concept.js").Tools<ParityData["state"]>} tools
 */
function side(title, which, tools) {
  const box = el("div", { class: "table-scroller", tabindex: 0, role: "region", "aria-label": title });
  const note = el("span", { class: "note" });
  const whole = el("div", { class: "parity-side" }, el("h3", {}, title, " ", note), box);
  const show = mount(box, matrixMark, pickCell(tools, "pick"));
  return { whole, note, draw: (/** @type {ParityData} */ data) => show(markOf(data, title, which)) };
}

/**
 * @param {ParityData} data
 * @param {string} title
 * @param {"ours" | "theirs" | "difference"} which
 * @returns {import("../../charts/matrix.js").MatrixMark}
 */
function markOf(data, title, which) {
  const isDifference = which === "difference";
  const rows = isDifference ? differences(data.answer) : data.answer[which];
  const values = rows.slice(0, SHOWN).map((row) => row.slice(0, SHOWN));
  return {
    title,
    // The difference is written in units of 10⁻⁷, about one step of float32 at 1.
    values: isDifference ? values.map((row) => row.map((value) => (Math.abs(value) < 5e-9 ? 0 : value * 1e7))) : values,
    rows: data.queries.slice(0, SHOWN),
    columns: data.keys.slice(0, SHOWN),
    ...queriesByKeys(),
    scale: isDifference ? "signed" : "weight",
    digits: isDifference ? 1 : 2,
    ...(isDifference ? { axes: t("in units of 10⁻⁷") } : {}),
    chosen: { row: data.state.query, column: data.state.key },
  };
}

/** @param {{ours: number[][], theirs: number[][]}} answer */
function differences({ ours, theirs }) {
  return ours.map((row, query) => row.map((value, key) => value - theirs[query][key]));
}

/** Every head's largest difference. @type {View} */
export const headsView = chartView(
  matrixMark,
  ({ answer }) => ({
    title: t("Largest difference of any weight, in units of 10⁻⁷"),
    values: partOf(answer).weights.map((row) => row.map((value) => value * 1e7)),
    scale: /** @type {const} */ ("weight"),
    most: Math.max(largest(answer) * 1e7, 1e-9),
    digits: 1,
    axes: t("layer ↓ head →, in units of 10⁻⁷"),
    chosen: { row: answer.layer, column: answer.head },
  }),
  ({ row, column }) => ({ layer: row, head: column }),
);

/** @type {View} */
export const verdictView = drawnView((element) => ({ answer }) => {
  const sizes = {
    weights: tidy(largest(answer)),
    state: tidy(answer.relative_hidden_state),
    bound: tidy(answer.bound),
  };
  element.className = `parity-verdict ${answer.within_bound ? "is-good" : "is-bad"}`;
  element.textContent = answer.within_bound
    ? t(
        "✓ Weights differ by {weights} at most, the last hidden state by {state} of its largest number: within {bound}.",
        sizes,
      )
    : t(
        "✗ Weights differ by {weights} at most, the last hidden state by {state} of its largest number: more than {bound}.",
        sizes,
      );
});

/** @type {View} */
export const curvesView = chartView(linePlot, ({ answer }) => {
  const { part, bound, hidden_states: hidden } = answer;
  const shown = partOf(answer);
  const last = shown.weights.length;
  const point = (/** @type {number} */ x, /** @type {number} */ y) =>
    /** @type {[number, number]} */ ([x, Math.max(y, FLOOR)]);
  /** @type {number[]} */
  const states = hidden[part] ?? [];
  return {
    title: t("Largest differences, layer by layer"),
    series: [
      {
        name: t("weights of the layer"),
        points: shown.weights.map((heads, layer) => point(layer + 1, Math.max(...heads))),
      },
      { name: t("hidden state after it"), points: states.map((value, index) => point(index, value)) },
      { name: t("the bound"), dashed: true, colour: 7, points: [point(0, bound), point(last, bound)] },
    ],
    x: {
      name: t("layers"),
      says: placeName,
      least: 0,
      most: last,
      ticks: Array.from({ length: last + 1 }, (_, index) => index),
    },
    y: { name: t("difference"), least: FLOOR, most: 1e-4, log: true },
    height: 220,
  };
});

/** How far the model has got, as the axis counts. @param {number} layers */
function placeName(layers) {
  return layers === 0 ? t("the input") : t("after layer {layer}", { layer: layers - 1 });
}
