/** Why scores are divided by √d_k: distributions, one row through softmax, panels of weights, and growth with d. */

import { switchedView, titledPlaces } from "../frame/views.js";
import { t } from "../../base/i18n.js";
import { barsMark } from "../../charts/bars.js";
import { histogramMark } from "../../charts/histogram.js";
import { linesMark } from "../../charts/lines.js";
import { fixed } from "../../base/numbers.js";
import { mount } from "../../base/mount.js";

/** @typedef {{state: Readonly<import("./state.js").ScalingState>, answer: import("../../api/types.js").Answer<"/api/scaling", "post">, others: any[]}} ScalingData */

export const scalingView = switchedView({
  distributions(element) {
    const marks = titledPlaces(element, [t("Raw scores q·k"), t("Divided by √d_k")]).map((box) =>
      mount(box, histogramMark, {}),
    );
    return ({ answer }) => {
      const shown = /** @type {const} */ (["raw", "scaled"]);
      shown.forEach((which, index) =>
        marks[index]({
          title: index === 0 ? t("Raw scores q·k") : t("Divided by √d_k"),
          series: answer.distributions.map((/** @type {any} */ one) => ({
            name: `d_k = ${one.d_k}`,
            edges: one[which].edges,
            counts: one[which].counts,
          })),
          x: index === 0 ? rawAxis(answer) : { name: t("score"), least: -4, most: 4 },
        }),
      );
    };
  },
  saturation(element) {
    const [weights] = titledPlaces(element, [t("Weights of the same row")]);
    const mark = mount(weights, barsMark, {});
    return (/** @type {ScalingData} */ { state, others: [found] }) => {
      if (!found) return;
      mark({
        title: t("Weights of the same row"),
        names: state.scores.map((score) => fixed(score, Number.isInteger(score) ? 0 : 2)),
        series: [
          { name: t("as they are"), values: found.unscaled.weights },
          { name: t("divided by {divisor}", { divisor: fixed(found.divisor, 2) }), values: found.scaled.weights },
        ],
        most: 1,
        digits: 4,
        axis: t("score"),
        height: 260,
      });
    };
  },
  panels(element) {
    const names = [1, 100].flatMap((d) => [`d = ${d}`, `d = ${d}, ÷√d`]);
    const marks = titledPlaces(element, names).map((box) => mount(box, linesMark, {}));
    return ({ others: [found] }) => {
      if (!found) return;
      found.panels.forEach((/** @type {any} */ panel, /** @type {number} */ index) => {
        const points = panel.dot_products.map((/** @type {number} */ dot, /** @type {number} */ at) => [
          dot,
          panel.weights[at],
        ]);
        points.sort((/** @type {number[]} */ one, /** @type {number[]} */ other) => one[0] - other[0]);
        marks[index]({
          title: names[index],
          series: [{ name: t("weight"), points, dots: true, colour: panel.is_scaled ? 2 : 0 }],
          x: { name: t("dot product q·k") },
          y: { name: t("weight"), least: 0, most: 1 },
          height: 200,
        });
      });
    };
  },
  growth(element) {
    const titles = [t("Entropy of the weights"), t("Gradient through softmax")];
    const marks = titledPlaces(element, titles).map((box) => mount(box, linesMark, {}));
    return ({ others: [found] }) => {
      if (!found) return;
      const of = (/** @type {string} */ what) =>
        found.points.map((/** @type {any} */ point) => /** @type {[number, number]} */ ([point.d_k, point[what]]));
      [
        ["entropy", "scaled_entropy"],
        ["gradient_norm", "scaled_gradient_norm"],
      ].forEach(([raw, scaled], index) =>
        marks[index]({
          title: titles[index],
          series: [
            { name: t("as they are"), points: of(raw) },
            { name: t("divided by √d_k"), points: of(scaled), dashed: true, colour: 2 },
          ],
          x: { name: "d_k", log: true },
          y: { name: index === 0 ? t("nats") : t("norm"), least: 0 },
          height: 220,
        }),
      );
    };
  },
});

/** Wide enough for the widest, as its theory says. @param {import("../../api/types.js").Answer<"/api/scaling", "post">} answer @returns {import("../../charts/axes.js").Axis} */
function rawAxis(answer) {
  const widest = Math.max(...answer.distributions.map((/** @type {any} */ one) => one.raw.standard_deviation));
  return { name: t("score"), least: -3.5 * widest, most: 3.5 * widest };
}
