/** Distribution of the values of one stage of one head: a histogram with its statistics. */

import { el, fill, svg } from "../../base/dom.js";
import { drawnView } from "../../base/mount.js";
import { t } from "../../base/i18n.js";
import { exact, fixed } from "../../base/numbers.js";

/** @typedef {import("../../api/types.js").Distribution} Distribution */

/**
 * @typedef {object} DistributionData
 * @property {Distribution} distribution
 * @property {string} stage
 * @property {string} name  of the head
 * @property {boolean} isOfOne  although the mean of several is shown elsewhere
 */

const WIDTH = 320;
const HEIGHT = 96;

/**
 * @param {HTMLElement} element
 * @param {DistributionData} data
 * @returns {import("../../base/mount.js").View<DistributionData>}
 */
export function distributionView(element, data) {
  /** @param {DistributionData} next */
  function draw({ distribution, stage, name, isOfOne }) {
    const { counts, edges } = distribution;
    const facts = [
      [t("mean"), distribution.mean],
      [t("standard deviation"), distribution.standard_deviation],
      [t("smallest"), distribution.minimum],
      [t("largest"), distribution.maximum],
    ];
    fill(
      element,
      el(
        "p",
        { class: "note" },
        el("strong", {}, name),
        isOfOne && ` (${t("this head only, not the mean")})`,
        ": ",
        t("how often each value of the {stage} occurs (bar height: √ of the count)", { stage }),
      ),
      chart(counts, edges),
      el(
        "div",
        { class: "histogram-ends", "aria-hidden": "true" },
        el("span", {}, fixed(edges[0] ?? 0, 2)),
        el("span", {}, fixed(edges.at(-1) ?? 0, 2)),
      ),
      el(
        "dl",
        { class: "facts" },
        ...facts.map(([name, value]) =>
          el("div", {}, el("dt", {}, name), el("dd", {}, typeof value === "number" ? exact(value) : "–")),
        ),
        distribution.masked > 0 &&
          el("div", {}, el("dt", {}, t("masked (−∞)")), el("dd", {}, distribution.masked.toLocaleString("en"))),
      ),
    );
  }

  return drawnView(element, data, draw);
}

/**
 * @param {number[]} counts
 * @param {number[]} edges
 */
function chart(counts, edges) {
  const most = Math.sqrt(Math.max(...counts, 1));
  const step = WIDTH / Math.max(1, counts.length);
  return svg(
    "svg",
    { class: "histogram", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": t("Histogram") },
    ...counts.map((count, index) => {
      const height = (Math.sqrt(count) / most) * (HEIGHT - 4);
      const range = `${fixed(edges[index], 3)} … ${fixed(edges[index + 1], 3)}: ${count}`;
      return svg(
        "rect",
        { x: index * step + 0.5, y: HEIGHT - height, width: Math.max(step - 1, 0.5), height },
        svg("title", {}, range),
      );
    }),
    svg("line", { class: "histogram-base", x1: 0, x2: WIDTH, y1: HEIGHT - 0.5, y2: HEIGHT - 0.5 }),
  );
}
