/** All heads as a table, a column for each metric; sorted, filtered, picked by mouse or keyboard. */

import { MARK_SIGNS, markName, markOf } from "../state/changes/changed_heads.js";
import { el, fill, keepingFocus } from "../../base/dom.js";
import { columnOrder, indexOfHead, listHeads, parseHeads, parseLimits } from "../state/head_list.js";
import { t } from "../../base/i18n.js";
import { moveInList } from "../../base/key_moves.js";
import { headCode, headName, metricTitle } from "../../wording/labels.js";
import { changes, drawnView } from "../../base/mount.js";
import { fixed } from "../../base/numbers.js";
import { metricNote } from "./metric_note.js";

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
  const clear = el("button", { type: "button", class: "button", onclick: onClear }, t("Show all"));
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
    const sign = sort === null ? "" : { descending: " ▾", ascending: " ▴" }[sort];
    return el(
      "th",
      { scope: "col", "aria-sort": sort },
      el(
        "button",
        { type: "button", class: "heads-sort", "data-order": name, onclick: () => onOrder(next) },
        title,
        el("span", { "aria-hidden": "true" }, sign),
      ),
    );
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
 * The lines of the table: one stop of the Tab key among boxes and buttons, arrows go up and down.
 * @param {HeadsTableOptions["onPick"]} onPick
 * @param {HeadsTableOptions["onToggle"]} onToggle
 */
function createLines(onPick, onToggle) {
  /** @type {HeadAt[]} */
  let listed = [];
  let focused = 0;
  const body = el("tbody", {
    onclick: ({ target }) => !(target instanceof HTMLInputElement) && at(target, onPick),
    onchange: ({ target }) => onToggle && at(target, onToggle),
  });
  body.addEventListener("keydown", (event) => {
    const { key, target } = event;
    const next = moveInList(key, indexOf(target), listed.length);
    if (next === null) return;
    event.preventDefault();
    focus(next, target instanceof HTMLInputElement);
  });

  /** @param {EventTarget | null} target */
  function indexOf(target) {
    const row = target instanceof Element ? target.closest("tr") : null;
    return row ? [...body.rows].indexOf(row) : -1;
  }

  /**
   * @param {EventTarget | null} target
   * @param {(head: HeadAt) => void} act
   */
  function at(target, act) {
    const head = listed[indexOf(target)];
    if (head) act(head);
  }

  /** @param {number} index @param {boolean} isBox */
  function focus(index, isBox) {
    stop(focused, -1);
    focused = index;
    stop(index, 0);
    /** @type {HTMLElement | null} */ (
      body.rows[index].querySelector(isBox ? "input:not(:disabled)" : "button")
    )?.focus();
  }

  /** @param {number} index @param {number} tab */
  function stop(index, tab) {
    for (const control of body.rows[index]?.querySelectorAll("input, button") ?? [])
      control.setAttribute("tabindex", String(tab));
  }

  return {
    body,
    /** @param {HeadsTableData} data @returns {number}  how many are listed */
    list(data) {
      const { part, order, find, limits, numbering } = data;
      const { metrics, layers, heads } = part;
      const held = body.contains(document.activeElement) ? document.activeElement?.getAttribute("type") : null;
      const before = listed[focused];
      listed = listHeads({ metrics, layers, heads, order, find, limits: parseLimits(limits), numbering });
      const most = Object.entries(metrics).map(([name, values]) => [name, Math.max(...values.flat(), 1e-9)]);
      fill(body, ...listed.map((head) => line(data, head, Object.fromEntries(most), onToggle !== null)));
      focused = Math.max(0, indexOfHead(listed, before ?? data));
      stop(focused, 0);
      mark(data);
      if (held !== null && listed.length > 0) focus(focused, held === "checkbox");
      return listed.length;
    },
    mark,
  };

  /** @param {HeadsTableData} data */
  function mark(data) {
    const chosen = parseHeads(data.chosen, data.part);
    [...body.rows].forEach((row, index) => {
      const isPicked = indexOfHead([data], listed[index]) === 0;
      row.classList.toggle("is-chosen", isPicked);
      row.querySelector("button")?.setAttribute("aria-pressed", String(isPicked));
      const box = row.querySelector("input");
      if (!box) return;
      box.checked = isPicked || indexOfHead(chosen, listed[index]) >= 0;
      box.disabled = isPicked;
    });
  }
}

/**
 * @param {HeadsTableData} data
 * @param {HeadAt} place
 * @param {Record<string, number>} most  of each metric
 * @param {boolean} hasBox
 */
function line({ part: { metrics }, deviations, numbering, changed }, place, most, hasBox) {
  const name = headName(place.layer, place.head, numbering);
  const mark = markOf(changed, place);
  const button = el(
    "button",
    { type: "button", class: "heads-pick", tabindex: -1 },
    headCode(place.layer, place.head, numbering),
    mark && el("span", { class: "head-mark", "aria-hidden": "true" }, MARK_SIGNS[mark]),
    el("span", { class: "visually-hidden" }, ` ${name}${mark ? `, ${markName(mark)}` : ""}`),
  );
  const values = Object.keys(metrics).map((metric) => {
    const value = metrics[metric][place.layer][place.head];
    const spread = deviations?.[metric][place.layer][place.head];
    const cell = el(
      "td",
      { class: "heads-value" },
      fixed(Math.abs(value) < 0.005 ? 0 : value, 2), // no −0.00
      spread !== undefined && el("span", { class: "heads-spread" }, ` ± ${fixed(spread, 2)}`),
    );
    cell.style.setProperty("--share", String(Math.max(0, value) / most[metric]));
    return cell;
  });
  const label = t("Also draw {head}", { head: name });
  const box = hasBox && el("td", {}, el("input", { type: "checkbox", tabindex: -1, "aria-label": label }));
  return el("tr", {}, box, el("th", { scope: "row" }, button), ...values);
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
