/** One head's weights from both sides and their difference, as three matrices beside each other. */

import { chartView, drawnView, pickCell, queriesByKeys } from "../frame/views.js";
import { partOf, SHOWN } from "./state.js";
import { largest, tidy } from "./steps.js";
import { linesMark } from "../../charts/lines.js";
import { mount } from "../../base/mount.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { matrixMark } from "../../charts/matrix.js";
import { small } from "../../base/numbers.js";

/** Start of the log axis; differences of 0 are drawn there. */
const FLOOR = 1e-8;

/** @typedef {import("./state.js").ParityData} ParityData */
/** @typedef {import("../frame/concept.js").ConceptView<ParityData>} View */

/** @type {View} */
export const parityView = drawnView((element, tools) => {
  const titles = [t("ours"), t("the library's"), t("difference")];
  const boxes = titles.map((title) => {
    const frame = { class: "table-scroller", tabindex: 0, role: "region", "aria-label": title };
    return { title, box: el("div", frame), note: el("span", { class: "note" }) };
  });
  fill(
    element,
    ...boxes.map(({ title, box, note }) => el("div", { class: "parity-side" }, el("h3", {}, title, " ", note), box)),
  );
  const marks = boxes.map(({ box }) => mount(box, matrixMark, pickCell(tools, "pick")));
  return (data) => {
    boxes.forEach(({ title }, index) => marks[index](markOf(data, title, index)));
    const largestHere = Math.max(...differences(data.answer).flat().map(Math.abs));
    boxes[2].note.textContent = t("colour from −{most} to {most}", { most: small(largestHere) });
  };
});

/**
 * @param {ParityData} data
 * @param {string} title
 * @param {number} index
 * @returns {import("../../charts/matrix.js").MatrixMark}
 */
function markOf(data, title, index) {
  const isDifference = index === 2;
  const { ours, theirs } = data.answer;
  const all = isDifference ? differences(data.answer) : index === 0 ? ours : theirs;
  const values = all.slice(0, SHOWN).map((row) => row.slice(0, SHOWN));
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
    values: partOf(answer).weights.map((row) => row.map((one) => one * 1e7)),
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
export const curvesView = chartView(linesMark, ({ answer }) => {
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
    x: { name: t("layers"), least: 0, most: last, ticks: Array.from({ length: last + 1 }, (_, index) => index) },
    y: { name: t("difference"), least: FLOOR, most: 1e-4, log: true },
    height: 220,
  };
});
