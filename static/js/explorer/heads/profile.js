/** Head profile: metrics of the chosen head, their rank among all heads, and their definitions. */

import { el, fill, svg } from "../../base/dom.js";
import { drawnView } from "../../base/mount.js";
import { t } from "../../base/i18n.js";
import { headCode, metricTitle } from "../../wording/labels.js";
import { fixed } from "../../base/numbers.js";

/** @typedef {import("../../api/types.js").Metrics} Metrics */
/** @typedef {import("../../api/types.js").MetricInfo} MetricInfo */

/**
 * @typedef {object} HeadsData
 * @property {Metrics} metrics
 * @property {Record<string, MetricInfo>} info
 * @property {HeadAt[]} heads  of which it is said: one, or several together
 * @property {0 | 1} numbering
 */
/** @typedef {import("../state/head_list.js").HeadAt} HeadAt */

const WIDTH = 120;
const HEIGHT = 16;

/**
 * @param {HTMLElement} element
 * @param {HeadsData} data
 * @returns {import("../../base/mount.js").View<HeadsData>}
 */
export function headsView(element, data) {
  /** @type {Set<string>} */
  const open = new Set();

  /** @param {HeadsData} next */
  function draw(next) {
    const names = Object.keys(next.metrics);
    const { heads, numbering } = next;
    const all = heads.map(({ layer, head }) => headCode(layer, head, numbering)).join(", ");
    fill(
      element,
      heads.length > 1 && el("p", { class: "note" }, t("Mean of the measures of heads {heads}.", { heads: all })),
      el("ul", { class: "metrics" }, ...names.map((name) => el("li", {}, metric(next, name)))),
    );
  }

  /**
   * @param {HeadsData} next
   * @param {string} name
   */
  function metric(next, name) {
    const info = next.info[name] ?? { title: name, definition: "", source: "", unit: "" };
    const values = next.heads.map(({ layer, head }) => next.metrics[name][layer][head]);
    const value = values.reduce((sum, one) => sum + one, 0) / values.length;
    const details = el(
      "details",
      { class: "metric", open: open.has(name) },
      el(
        "summary",
        {},
        el("span", { class: "metric-title" }, metricTitle(name, info)),
        strip(next.metrics[name].flat(), values),
        el("span", { class: "metric-value" }, fixed(value, 2)),
      ),
      el("div", { class: "note" }, ...metricNote(info)),
    );
    details.addEventListener("toggle", () => (details.open ? open.add(name) : open.delete(name)));
    return details;
  }

  return drawnView(element, data, draw);
}

/**
 * What a metric means, where it comes from, and in what it is counted.
 * @param {MetricInfo | undefined} info
 * @returns {HTMLElement[]}
 */
export function metricNote(info) {
  if (!info) return [];
  const origin = t("Unit: {unit}. Source: {source}", { unit: t(info.unit), source: t(info.source) });
  return [t(info.definition), origin, info.remark ?? ""].filter(Boolean).map((text) => el("p", {}, text));
}

/**
 * All heads as faint strokes, these as bold ones.
 * @param {number[]} all
 * @param {number[]} these
 */
function strip(all, these) {
  const [least, most] = [Math.min(...all, 0), Math.max(...all, 1e-9)];
  const x = (/** @type {number} */ one) => 1 + ((one - least) / (most - least)) * (WIDTH - 2);
  return svg(
    "svg",
    { class: "metric-strip", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("line", { class: "metric-base", x1: 0, x2: WIDTH, y1: HEIGHT - 0.5, y2: HEIGHT - 0.5 }),
    ...all.map((one) => svg("line", { class: "metric-other", x1: x(one), x2: x(one), y1: 6, y2: HEIGHT })),
    ...these.map((one) => svg("line", { class: "metric-this", x1: x(one), x2: x(one), y1: 1, y2: HEIGHT })),
  );
}
