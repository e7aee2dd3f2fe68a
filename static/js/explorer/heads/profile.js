/** Head profile: metrics of the chosen head on the strips of all heads, which filter by brushes; their definitions. */

import { el, fill, smallButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { changes, drawnView } from "../../base/mount.js";
import { fixed } from "../../base/numbers.js";
import { headCode, metricTitle } from "../../wording/labels.js";
import { parseLimits } from "../state/head_list.js";
import { metricNote } from "../widgets/metric_note.js";
import { createBrush } from "./brush.js";

/** @typedef {import("../../api/types.js").Metrics} Metrics */
/** @typedef {import("../../api/types.js").MetricInfo} MetricInfo */

/**
 * @typedef {object} HeadsData
 * @property {Metrics} metrics
 * @property {Record<string, MetricInfo>} info
 * @property {HeadAt[]} heads  of which it is said: one, or several together
 * @property {string} limits  of the filter, as in the URL
 * @property {number} shown  heads that the filter lets through
 * @property {0 | 1} numbering
 */
/** @typedef {import("../state/head_list.js").HeadAt} HeadAt */

/**
 * @param {HTMLElement} element
 * @param {HeadsData} data
 * @param {{onLimit: (metric: string, ends: [number, number]) => void, onClear: () => void}} options
 * @returns {import("../../base/mount.js").View<HeadsData>}
 */
export function headsView(element, data, { onLimit, onClear }) {
  /** @type {Set<string>} */
  const open = new Set();
  /** @type {{name: string, row: ReturnType<typeof metricRow>}[]} */
  let rows = [];
  /** @type {HeadsData | null} */
  let before = null;
  const mean = el("p", { class: "note", hidden: true });
  const count = el("span", { class: "note", role: "status" });
  const clear = smallButton(t("Show all"), onClear);
  const list = el("ul", { class: "metrics" });
  fill(element, mean, el("p", { class: "filter-line" }, count, clear), list);

  /** @param {HeadsData} next */
  function draw(next) {
    const { metrics, info, heads, numbering, limits, shown } = next;
    if (changes(before, next)("metrics", "info")) {
      rows = Object.keys(metrics).map((name) => ({
        name,
        row: metricRow(name, metrics[name], info[name], open, onLimit),
      }));
      fill(list, ...rows.map(({ row }) => row.element));
    }
    before = next;
    const ends = parseLimits(limits);
    for (const { name, row } of rows) {
      row.show(
        ends[name],
        heads.map(({ layer, head }) => metrics[name][layer][head]),
      );
    }
    const total = Object.values(metrics)[0]?.flat().length ?? 0;
    const names = heads.map(({ layer, head }) => headCode(layer, head, numbering)).join(", ");
    mean.hidden = heads.length < 2;
    mean.textContent = t("Mean of the measures of heads {heads}.", { heads: names });
    const said = limits
      ? t("{shown} of {count} heads", { shown, count: total })
      : t("Drag along a strip to show only heads in that range.");
    if (count.textContent !== said) count.textContent = said;
    clear.hidden = limits === "";
  }

  return drawnView(element, data, draw);
}

/**
 * One measure: its title, which opens its definition, its strip, and the value of the chosen head.
 * @param {string} name
 * @param {number[][]} values
 * @param {MetricInfo | undefined} info
 * @param {Set<string>} open  measures whose definition is open
 * @param {(metric: string, ends: [number, number]) => void} onLimit
 */
function metricRow(name, values, info, open, onLimit) {
  const title = metricTitle(name, info);
  const value = el("span", { class: "metric-value" });
  const brush = createBrush({ title, values: values.flat() }, (ends) => onLimit(name, ends));
  const details = el(
    "details",
    { class: "metric", open: open.has(name) },
    el("summary", {}, el("span", { class: "metric-title" }, title), value),
    el("div", { class: "note" }, ...metricNote(info)),
  );
  details.addEventListener("toggle", () => (details.open ? open.add(name) : open.delete(name)));
  return {
    element: el("li", {}, details, brush.element),
    /**
     * @param {[number, number] | undefined} ends
     * @param {number[]} these
     */
    show(ends, these) {
      brush.show(ends, these);
      value.textContent = fixed(these.reduce((sum, number) => sum + number, 0) / these.length, 2);
    },
  };
}
