/** Distribution of the values of one stage of one head: a histogram with its statistics. */

import { el, fill } from "../../base/dom.js";
import { drawnView, mount } from "../../base/mount.js";
import { labelled, t } from "../../base/i18n.js";
import { exact } from "../../base/numbers.js";
import { countPlot } from "../../charts/plots/histogram_plot.js";

/** @typedef {import("../../api/types.js").Distribution} Distribution */

/**
 * @typedef {object} DistributionData
 * @property {Distribution} distribution
 * @property {string} stage
 * @property {string} name  of the head
 * @property {boolean} isOfOne  although the mean of several is shown elsewhere
 */

const HEIGHT = 200;

/**
 * @param {HTMLElement} element
 * @param {DistributionData} data
 * @returns {import("../../base/mount.js").View<DistributionData>}
 */
export function distributionView(element, data) {
  const says = el("p", { class: "note" });
  const place = el("div", { class: "distribution-plot" });
  const list = el("dl", { class: "facts" });
  const plot = mount(place, countPlot, {});
  fill(element, says, place, list);

  /** @param {DistributionData} next */
  function update({ distribution, stage, name, isOfOne }) {
    const { counts, edges } = distribution;
    const facts = [
      [t("mean"), distribution.mean],
      [t("standard deviation"), distribution.standard_deviation],
      [t("smallest"), distribution.minimum],
      [t("largest"), distribution.maximum],
    ];
    fill(
      says,
      el("strong", {}, name),
      isOfOne && ` (${t("this head only, not the mean")})`,
      labelled(""),
      t("how often each value of the {stage} occurs (bar height: √ of the count)", { stage }),
    );
    plot({
      title: t("Histogram: {name}", { name: `${name}, ${stage}` }),
      counted: { name: stage, edges, counts },
      x: { name: stage },
      height: HEIGHT,
    });
    fill(
      list,
      ...facts.map(([fact, value]) =>
        el("div", {}, el("dt", {}, fact), el("dd", {}, typeof value === "number" ? exact(value) : "–")),
      ),
      distribution.masked > 0 &&
        el("div", {}, el("dt", {}, t("masked (−∞)")), el("dd", {}, distribution.masked.toLocaleString("en"))),
    );
  }

  return drawnView(element, data, update, () => plot(null));
}
