/** Every head by one measure over the prompts: a grid in colour, and a table with mean and spread. */

import { el, fill, keepingFocus } from "../../base/dom.js";
import { labelled, t } from "../../base/i18n.js";
import { moveInList } from "../../base/key_moves.js";
import { drawnView } from "../../base/mount.js";
import { fixed } from "../../base/numbers.js";
import { headCode, headName } from "../../wording/labels.js";
import { matrixMark } from "../../charts/matrix.js";
import { cellInfo } from "../state/measures/cell_measures.js";
import { nextOrder, sortHeading, sortOf } from "../widgets/sort_heading.js";

/** @typedef {import("../../api/prompts.js").MeasureSummary} MeasureSummary */
/** @typedef {{layer: number, head: number}} HeadAt */
/** @typedef {"head" | "mean" | "above" | "deviation" | "least" | "most"} Column */
/** @typedef {import("../widgets/sort_heading.js").Order<Column>} Order */

/**
 * @typedef {object} HeadsData
 * @property {string} title  of the measure
 * @property {MeasureSummary} summary
 * @property {MeasureSummary | null} above  of the weight at a cell: how far it is above what the other queries give
 * @property {boolean} isSpread  whether colour is the spread rather than the mean
 * @property {number} layer
 * @property {number} head
 * @property {0 | 1} numbering
 * @property {object} palette  of the theme; redrawn when it changes
 */

/** @type {readonly Column[]} */
const COLUMNS = ["head", "mean", "above", "deviation", "least", "most"];
/** @type {Order} */
const FIRST = { column: "mean", isDescending: true };

/** @param {HeadsData} data */
const columnsOf = ({ above }) => COLUMNS.filter((column) => above || column !== "above");

/**
 * @param {HTMLElement} element
 * @param {HeadsData} data
 * @param {{onPick: (head: HeadAt, origin: "pick" | "move") => void}} options
 * @returns {import("../../base/mount.js").View<HeadsData>}
 */
export function promptHeadsView(element, data, { onPick }) {
  const picture = el("div");
  const readout = el("p", { class: "prompts-readout", role: "status" });
  const body = el("tbody");
  const head = el("thead");
  const table = el("table", { class: "heads-table prompts-table" }, head, body);
  let order = FIRST;
  let shown = data;
  fill(
    element,
    el("div", { class: "prompts-grid" }, picture),
    readout,
    el("div", { class: "heads-scroller prompts-scroller" }, table),
  );
  const mark = matrixMark(picture, drawing(data), {
    onPick: ({ row, column }) => onPick({ layer: row, head: column }, "move"),
    isFitted: true,
  });
  body.addEventListener("click", ({ target }) => {
    const row = target instanceof Element ? target.closest("tr") : null;
    if (row) onPick({ layer: Number(row.dataset.layer), head: Number(row.dataset.head) }, "pick");
  });
  body.addEventListener("keydown", (event) => {
    const rows = [...body.rows];
    const index = rows.findIndex((row) => row.contains(/** @type {Node} */ (event.target)));
    const next = moveInList(event.key, index, rows.length);
    if (next === null) return;
    event.preventDefault();
    rows[index].querySelector("button")?.setAttribute("tabindex", "-1");
    const button = rows[next].querySelector("button");
    button?.setAttribute("tabindex", "0");
    button?.focus();
  });

  /** @param {Column} column */
  function sortBy(column) {
    order = nextOrder(order, column, ["head"]);
    draw(shown);
  }

  /** @param {HeadsData} next */
  function draw(next) {
    if (next !== shown) mark.update(drawing(next));
    shown = next;
    if (!columnsOf(next).includes(order.column)) order = FIRST;
    fill(readout, ...said(next));
    keepingFocus(head, () =>
      fill(head, el("tr", {}, ...columnsOf(next).map((column) => heading(column, order, sortBy)))),
    );
    keepingFocus(body, () => fill(body, ...rowsOf(next, order)));
  }

  return drawnView(element, data, draw, mark.destroy);
}

/**
 * The heads as a matrix in colour; what may be negative, such as an effect, on a scale with 0 in its middle.
 * @param {Omit<HeadsData, "palette" | "above">} data
 * @returns {import("../../charts/matrix.js").MatrixMark}
 */
export function drawing({ title, summary, isSpread, layer, head, numbering }) {
  const values = isSpread ? summary.deviation : summary.mean;
  const most = Math.max(...values.flat().map(Math.abs), 1e-6);
  const scale = values.flat().some((value) => value < 0) ? "signed" : "weight";
  const counted = (/** @type {unknown[]} */ list) => list.map((_, index) => String(index + numbering));
  return {
    title,
    values,
    digits: most < 0.1 ? 3 : 2,
    scale,
    most,
    rows: counted(values),
    columns: counted(values[0]),
    axes: `${t("layer ↓")} ${t("head →")}`,
    chosen: { row: layer, column: head },
  };
}

/**
 * The chosen head's numbers in words.
 * @param {HeadsData} data
 */
function said({ summary, above, layer, head, numbering }) {
  const value = (/** @type {number[][]} */ values) => fixed(values[layer][head], 3);
  const numbers = { mean: value(summary.mean), deviation: value(summary.deviation), count: summary.count };
  const ends = { least: value(summary.least), most: value(summary.most) };
  return [
    labelled(headName(layer, head, numbering)),
    el("strong", {}, t("{mean} ± {deviation}", numbers)),
    above && ` · ${labelled(cellInfo().cell_above.title, value(above.mean))}`,
    ` · ${t("from {least} to {most}", ends)} · ${t("{count} prompts", numbers)}`,
  ];
}

/**
 * @param {Column} column
 * @param {Order} order
 * @param {(column: Column) => void} sortBy
 */
function heading(column, order, sortBy) {
  const titles = { head: t("Head"), mean: t("mean"), deviation: "±", least: t("least"), most: t("most") };
  const title = { ...titles, above: cellInfo().cell_above.title }[column];
  const name = column === "deviation" ? { "aria-label": t("standard deviation") } : {};
  return sortHeading(title, sortOf(order, column), () => sortBy(column), name);
}

/**
 * The heads in the order of a column.
 * @param {Pick<HeadsData, "summary" | "above">} data
 * @param {Order} order
 * @returns {HeadAt[]}
 */
export function inOrder({ summary, above }, { column, isDescending }) {
  const heads = summary.mean.flatMap((row, layer) => row.map((_, head) => ({ layer, head })));
  const by = column === "head" ? null : column === "above" ? above?.mean : summary[column];
  const sorted = by ? [...heads].sort((a, b) => by[a.layer][a.head] - by[b.layer][b.head]) : heads;
  return isDescending ? sorted.reverse() : sorted;
}

/**
 * @param {HeadsData} data
 * @param {Order} order
 */
function rowsOf(data, order) {
  const { summary, above, layer, head, numbering } = data;
  const most = Math.max(...summary.mean.flat(), 1e-9);
  const isChosen = (/** @type {HeadAt} */ place) => place.layer === layer && place.head === head;
  return inOrder(data, order).map((place) => {
    const value = (/** @type {number[][]} */ values) => fixed(values[place.layer][place.head], 3);
    const mean = el("td", { class: "heads-value" }, value(summary.mean));
    mean.style.setProperty("--share", String(Math.max(0, summary.mean[place.layer][place.head]) / most));
    const button = el(
      "button",
      {
        type: "button",
        class: "heads-pick",
        "data-key": `${place.layer}.${place.head}`,
        tabindex: isChosen(place) ? 0 : -1,
        "aria-pressed": String(isChosen(place)),
      },
      el("span", { "aria-hidden": "true" }, headCode(place.layer, place.head, numbering)),
      el("span", { class: "visually-hidden" }, headName(place.layer, place.head, numbering)),
    );
    const further = [...(above ? [above.mean] : []), summary.deviation, summary.least, summary.most];
    return el(
      "tr",
      { class: isChosen(place) ? "is-chosen" : "", "data-layer": place.layer, "data-head": place.head },
      el("th", { scope: "row" }, button),
      mean,
      ...further.map((values) => el("td", {}, value(values))),
    );
  });
}
