/** ALiBi: the bias of a head, the same attention under three ways of knowing positions, and how far each head looks. */

import { el, fill } from "../../base/dom.js";
import { chartView, pickCell, queriesByKeys, switchedView, titledPlaces } from "../frame/views.js";
import { comparedOf } from "./state.js";
import { t } from "../../base/i18n.js";
import { linePlot } from "../../charts/plots/line_plot.js";
import { linesMark } from "../../charts/lines.js";
import { matrixMark } from "../../charts/matrix.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("../frame/concept.js").ConceptView<import("./state.js").AlibiData>} View */
/** So many curves can be told apart. */
const CURVES = 8;

/** @type {View} */
export const alibiView = switchedView({
  bias(element, tools) {
    const box = el("div", { class: "alibi-box alibi-wide" });
    fill(element, box);
    const mark = mount(box, matrixMark, pickCell(tools, "pick"));
    return ({ state, answer }) => {
      const { head, query, key } = state;
      mark({
        ...queriesByKeys(),
        title: t("What head {head} adds to its scores", { head }),
        values: state.symmetric ? answer.bias[head] : withoutFuture(answer.bias[head]),
        scale: "signed",
        digits: answer.slopes[head] < 0.1 ? 3 : 2,
        chosen: { row: query, column: key },
      });
    };
  },
  compare(element, tools) {
    const names = [t("without positions"), "RoPE", "ALiBi"];
    const places = titledPlaces(element, names, "alibi-box", [2, 2, 3]);
    const curve = el("div", { class: "alibi-wide", "data-step": 4 });
    element.append(curve);
    const marks = places.map((place) => mount(place, matrixMark, pickCell(tools, "pick")));
    const lines = mount(curve, linesMark, {});
    return ({ state, answer }) => {
      const { head, query, key } = state;
      const { none, rope, alibi } = comparedOf(answer);
      const variants = [none, rope, alibi[head]];
      marks.forEach((mark, index) =>
        mark({
          ...queriesByKeys(),
          title: t("Weights: {name}", { name: names[index] }),
          values: variants[index].weights,
          scale: "weight",
          chosen: { row: query, column: key },
        }),
      );
      lines({
        title: t("Weights of query {query} over all keys", { query }),
        series: variants.map((variant, index) => ({
          name: names[index],
          points: variant.weights[query].map((weight, key) => [key, weight]),
          dashed: index === 0,
        })),
        x: { name: t("key"), ticks: answer.bias[0].map((_, position) => position) },
        y: { name: t("weight"), least: 0 },
        verticals: [{ x: key, name: String(key) }],
        height: 200,
      });
    };
  },
  reach(element) {
    const box = el("div", { class: "alibi-wide" });
    fill(element, box);
    const mark = mount(box, linePlot, {});
    return ({ state, answer }) => {
      const { head } = state;
      const far = answer.bias[0][0].length - 1;
      mark({
        title: t("Weight left at each distance, with equal scores"),
        series: shownHeads(state.heads, head).map((index) => ({
          name: t("head {head}", { head: index }),
          points: answer.bias[index][0]
            .map((penalty, key) => /** @type {[number, number]} */ ([far - key, Math.exp(penalty)]))
            .reverse(),
          dashed: index === head,
          strong: index === head,
        })),
        x: { name: t("distance between query and key") },
        y: { name: t("times the weight at distance 0"), least: 0, most: 1 },
        verticals: [{ x: state.distance, name: String(state.distance) }],
        height: 340,
      });
    };
  },
});

/**
 * The bias of decoders, which a causal mask goes with: later keys are out of reach.
 * @param {number[][]} bias
 */
function withoutFuture(bias) {
  return bias.map((row, query) => row.map((weight, key) => (key > query ? "-Infinity" : weight)));
}

/**
 * Not more than can be told apart, the chosen one among them.
 * @param {number} heads
 * @param {number} head
 */
function shownHeads(heads, head) {
  const every = Math.ceil(heads / CURVES);
  return Array.from({ length: heads }, (_, index) => index).filter((index) => (index - head) % every === 0);
}

/**
 * A matrix of low rows: beside the controls there is room for no more.
 * @param {HTMLElement} element
 * @param {import("../../charts/matrix.js").MatrixMark} data
 * @param {import("../../charts/matrix.js").MatrixOptions} options
 */
function slopesMark(element, data, options) {
  return matrixMark(element, data, { ...options, mostHeight: 0 });
}

/** Every head's slope, and the distance at which a weight has halved. @type {View} */
export const alibiSlopesView = chartView(
  slopesMark,
  ({ state, answer }) => ({
    title: t("Slopes of the heads"),
    values: answer.slopes.map((slope) => [slope, Math.LN2 / slope]),
    rows: answer.slopes.map((_, head) => t("head {head}", { head })),
    columns: [t("slope"), t("half-weight distance")],
    digits: 5,
    chosen: { row: state.head, column: -1 },
  }),
  ({ row }) => ({ head: row }),
);
