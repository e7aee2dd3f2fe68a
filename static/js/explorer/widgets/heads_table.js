/** All heads as a table, a column for each metric; sorted, filtered, picked by mouse or keyboard. */

import { el, fill, keepingFocus, plainButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { metricTitle } from "../../wording/labels.js";
import { changes, drawnView } from "../../base/mount.js";
import { createLines } from "./head_lines.js";
import { metricNote } from "./metric_note.js";
import { nextOrder, sortHeading, sortOf } from "./sort_heading.js";

/** @typedef {import("../state/head_list.js").HeadAt} HeadAt */

/**
 * @typedef {object} HeadsTableData
 * @property {Pick<import("../../api/types.js").Part, "metrics" | "layers" | "heads">} part
 * @property {import("../../api/types.js").Metrics} [deviations]  behind each value, where it is a mean
 * @property {Record<string, import("../../api/types.js").MetricInfo>} info
 * @property {number} layer  of the one picked
 * @property {number} head
 * @property {0 | 1} numbering
 * @property {string} order  a metric, "-" in front for largest first
 * @property {string} find
 * @property {string} limits
 * @property {string} chosen  further heads
 * @property {import("../state/changes/changed_heads.js").ChangedHeads} changed  heads that are marked
 */

/**
 * @typedef {object} HeadsTableOptions
 * @property {(head: HeadAt) => void} onPick
 * @property {((head: HeadAt) => void) | null} onToggle  null where heads are not drawn together
 * @property {(order: string) => void} onOrder
 * @property {(text: string) => void} onFind
 * @property {() => void} onClear
 */

const keys = () =>
  t(
    "Click a column title to sort by it. Arrow keys move between heads, Enter selects one; tick a head to draw it with the others.",
  );
const fewerKeys = () => t("Click a column title to sort by it. Arrow keys move between heads, Enter selects one.");
/**
 * @param {HTMLElement} element
 * @param {HeadsTableData} data
 * @param {HeadsTableOptions} options
 * @returns {import("../../base/mount.js").View<HeadsTableData>}
 */
export function headsTableView(element, data, { onPick, onToggle, onOrder, onFind, onClear }) {
  const finder = createFinder(onFind, onClear);
  const lines = createLines(onPick, onToggle);
  const head = el("thead");
  const caption = el("caption", { class: "visually-hidden" });
  const scroller = el(
    "div",
    { class: "heads-scroller" },
    el("table", { class: "heads-table" }, caption, head, lines.body),
  );
  const notes = el("dl", { class: "metric-notes" });
  const disclosure = (/** @type {string} */ title, /** @type {HTMLElement} */ content) =>
    el("details", { class: "disclosure" }, el("summary", {}, title), content);
  fill(
    element,
    finder.element,
    scroller,
    el("p", { class: "note" }, onToggle ? keys() : fewerKeys()),
    disclosure(t("What the measures mean"), notes),
  );

  /** @type {HeadsTableData | null} */
  let before = null;
  /** @param {HeadsTableData} next */
  function draw(next) {
    const { part, info } = next;
    const names = Object.keys(part.metrics);
    const differs = changes(before, next);
    const isFirst = before === null;
    before = next;
    if (differs("part", "info")) {
      fill(
        notes,
        ...names.flatMap((name) => [
          el("dt", {}, metricTitle(name, info[name])),
          el("dd", { class: "note" }, ...metricNote(info[name])),
        ]),
      );
    }
    if (differs("part", "order")) keepingFocus(head, () => fill(head, headings(next, onOrder, onToggle !== null)));
    if (differs("part", "changed", "order", "find", "limits", "numbering")) finder.show(next, lines.list(next));
    lines.mark(next);
    if (differs("part", "order")) reveal(scroller, head);
    // The head picked is in view from the start.
    const picked = /** @type {HTMLElement | null} */ (isFirst && lines.body.querySelector(".is-chosen"));
    if (picked) scroller.scrollTop = picked.offsetTop - scroller.clientHeight / 2;
  }

  return drawnView(element, data, draw);
}

/**
 * The field that heads are found with, how many were, and the way back to all.
 * @param {HeadsTableOptions["onFind"]} onFind
 * @param {HeadsTableOptions["onClear"]} onClear
 */
function createFinder(onFind, onClear) {
  const find = el("input", {
    type: "search",
    id: "heads-find",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: t("L5 or L5 H11"),
    oninput: () => onFind(find.value),
  });
  const count = el("span", { class: "note", role: "status" });
  const clear = plainButton(t("Show all"), onClear);
  const element = el(
    "div",
    { class: "toolbar" },
    el("label", { for: "heads-find" }, t("Find")),
    find,
    el("label", { class: "visually-hidden", for: "heads-find" }, t("such as L5 for a layer, L5 H11 for a head")),
    count,
    clear,
  );
  return {
    element,
    /**
     * @param {HeadsTableData} data
     * @param {number} shown
     */
    show({ part, find: text, limits }, shown) {
      if (find.value !== text) find.value = text;
      count.textContent = t("{shown} of {count} heads", { shown, count: part.layers * part.heads });
      clear.hidden = text === "" && limits === "";
    },
  };
}

/**
 * @param {HeadsTableData} data
 * @param {(order: string) => void} onOrder
 * @param {boolean} hasBoxes
 */
function headings({ part, info, order }, onOrder, hasBoxes) {
  const heading = (/** @type {string} */ name, /** @type {string} */ title) => {
    const { sort, next } = columnOrder(order, name);
    return sortHeading(title, sort, () => onOrder(next), { "data-order": name });
  };
  return el(
    "tr",
    {},
    hasBoxes && el("th", { scope: "col" }, el("span", { class: "visually-hidden" }, t("Together with others"))),
    heading("", t("Head")),
    ...Object.keys(part.metrics).map((name) => heading(name, metricTitle(name, info[name]))),
  );
}

/**
 * How a column of the table of heads is sorted, and what its title asks for next. A measure is asked for its largest
 * first, a head's number for its smallest.
 * @param {string} written  the order that the table has: a metric, "-" in front for largest first
 * @param {string} column  a metric, "" for the heads' own order
 * @returns {{sort: import("./sort_heading.js").Sort, next: string}}
 */
export function columnOrder(written, column) {
  const order = { column: written.replace(/^-/, ""), isDescending: written.startsWith("-") };
  const next = nextOrder(order, column, [""]);
  return { sort: sortOf(order, column), next: `${next.isDescending ? "-" : ""}${next.column}` };
}

/**
 * The measure by which heads are ordered is in view: there may be more of them than room.
 * @param {HTMLElement} scroller
 * @param {HTMLElement} head
 */
function reveal(scroller, head) {
  const sorted = /** @type {HTMLElement | null} */ (head.querySelector("th[aria-sort]"));
  const beyond = sorted ? sorted.offsetLeft + sorted.offsetWidth - scroller.clientWidth : 0;
  if (beyond > scroller.scrollLeft) scroller.scrollLeft = beyond;
}
