/** Why scores are divided by √dₖ: distributions, one size, one row through softmax, panels of weights, and growth with d. */

import { switchedView, titledPlaces } from "../frame/views.js";
import { furtherAnswer } from "../frame/further_answer.js";
import { t } from "../../base/i18n.js";
import { barPlot } from "../../charts/plots/bar_plot.js";
import { histogramPlot } from "../../charts/plots/histogram_plot.js";
import { linePlot } from "../../charts/plots/line_plot.js";
import { pointsOf } from "../../charts/lines.js";
import { fixed } from "../../base/numbers.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("../frame/concept.js").ConceptView<import("./state.js").ScalingData>} View */

/** Scores at the ends of the axis of one size: three standard deviations of the largest. */
const LARGEST = 100;

/** @type {View} */
export const scalingView = switchedView({
  distributions(element) {
    const marks = titledPlaces(element, [t("Raw scores q·k"), t("Divided by √dₖ")], "", [1, 3]).map((box) =>
      mount(box, histogramPlot, {}),
    );
    return ({ answer }) => {
      const shown = /** @type {const} */ (["raw", "scaled"]);
      shown.forEach((which, index) =>
        marks[index]({
          title: index === 0 ? t("Raw scores q·k") : t("Divided by √dₖ"),
          series: answer.distributions.map((distribution) => ({
            name: `dₖ = ${distribution.d_k}`,
            edges: distribution[which].edges,
            counts: distribution[which].counts,
          })),
          x: index === 0 ? rawAxis(answer) : { name: t("score"), least: -4, most: 4 },
          height: 300,
        }),
      );
    };
  },
  size(element) {
    const titles = [t("Raw scores q·k"), t("Weights of one query")];
    const [scores, weights] = titledPlaces(element, titles, "", [1, 2]);
    const [histogram, bars] = [mount(scores, histogramPlot, {}), mount(weights, barPlot, {})];
    return ({ answer, others }) => {
      const { d_k, raw } = answer.distributions[0];
      const series = [{ name: `dₖ = ${d_k}`, edges: raw.edges, counts: raw.counts }];
      histogram({ title: titles[0], series, x: { name: t("score"), least: -LARGEST, most: LARGEST }, height: 230 });
      const further = furtherAnswer(others, "panels");
      if (!further) return;
      bars({
        title: titles[1],
        names: further.panels[0].weights.map((_, key) => String(key)),
        series: further.panels.map((panel) => ({
          name: panel.is_scaled ? t("divided by √dₖ") : t("as they are"),
          values: panel.weights,
          colour: panel.is_scaled ? 2 : 0,
        })),
        most: 1,
        axis: t("key"),
        unit: t("weight"),
        height: 230,
      });
    };
  },
  saturation(element) {
    const [weights] = titledPlaces(element, [t("Weights of the same row")]);
    const mark = mount(weights, barPlot, {});
    return ({ state, others }) => {
      const further = furtherAnswer(others, "unscaled");
      if (!further) return;
      mark({
        title: t("Weights of the same row"),
        names: state.scores.map((score) => fixed(score, Number.isInteger(score) ? 0 : 2)),
        series: [
          { name: t("as they are"), values: further.unscaled.weights },
          { name: t("divided by {divisor}", { divisor: fixed(further.divisor, 2) }), values: further.scaled.weights },
        ],
        most: 1.1,
        digits: 4,
        axis: t("score"),
        unit: t("weight"),
        height: 320,
      });
    };
  },
  panels(element) {
    const names = [1, 100].flatMap((d) => [`d = ${d}`, `d = ${d}, ÷√d`]);
    const marks = titledPlaces(element, names, "", [1, 2, 3, 4]).map((box) => mount(box, linePlot, {}));
    return ({ others }) => {
      const further = furtherAnswer(others, "panels");
      if (!further) return;
      further.panels.forEach((panel, index) => {
        const points = pointsOf(panel.dot_products, panel.weights);
        points.sort((a, b) => a[0] - b[0]);
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
    const titles = [t("Entropy of the weights"), t("Norm of the derivatives ∂w/∂z")];
    const marks = titledPlaces(element, titles).map((box) => mount(box, linePlot, {}));
    return ({ others }) => {
      const further = furtherAnswer(others, "points");
      if (!further) return;
      const sizes = further.points.map((point) => point.d_k);
      const of = (/** @type {Exclude<keyof typeof further.points[number], "d_k">} */ what) =>
        pointsOf(
          sizes,
          further.points.map((point) => point[what]),
        );
      const lines = /** @type {const} */ ([
        ["entropy", "scaled_entropy"],
        ["gradient_norm", "scaled_gradient_norm"],
      ]);
      lines.forEach(([raw, scaled], index) =>
        marks[index]({
          title: titles[index],
          series: [
            { name: t("as they are"), points: of(raw) },
            { name: t("divided by √dₖ"), points: of(scaled), dashed: true, colour: 2 },
          ],
          x: { name: "dₖ", log: true },
          y: { name: index === 0 ? t("nats") : t("Frobenius norm"), least: 0 },
          height: 300,
        }),
      );
    };
  },
});

/** Wide enough for the widest, as its theory says. @param {import("./state.js").ScalingAnswer} answer @returns {import("../../charts/axes.js").Axis} */
function rawAxis(answer) {
  const widest = Math.max(...answer.distributions.map((distribution) => distribution.raw.standard_deviation));
  return { name: t("score"), least: -3.5 * widest, most: 3.5 * widest };
}
