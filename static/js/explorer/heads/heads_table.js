/** All heads in a table: one line each, one column for each metric; sorted, filtered, picked by mouse or keyboard. */

import { MARK_SIGNS, markName, markOf } from "../state/changed_heads.js";
import { el, fill } from "../../base/dom.js";
import { indexOfHead, listHeads, parseHeads, parseLimits } from "../state/head_list.js";
import { t } from "../../base/i18n.js";
import { headName, metricTitle } from "../../wording/labels.js";
import { fixed } from "../../base/numbers.js";
import { metricNote } from "./profile.js";

/** @typedef {import("../state/head_list.js").HeadAt} HeadAt */

/**
 * @typedef {object} HeadsTableData
 * @property {import("../../api/types.js").Part} part
 * @property {Record<string, import("../../api/types.js").MetricInfo>} info
 * @property {number} layer  of the one picked
 * @property {number} head
 * @property {0 | 1} numbering
 * @property {string} order  a metric, "-" in front for largest first
 * @property {string} find
 * @property {string} limits
 * @property {string} chosen  further heads
 * @property {import("../state/changed_heads.js").ChangedHeads} changed  heads that are marked
 */

/**
 * @typedef {object} HeadsTableOptions
 * @property {(head: HeadAt) => void} onPick
 * @property {(head: HeadAt) => void} onToggle
 * @property {(order: string) => void} onOrder
 * @property {(text: string) => void} onFind
 * @property {(metric: string, ends: [number, number]) => void} onLimit
 * @property {() => void} onClear
 */

const keys = () =>
  t("A title sorts by its measure. Arrows move between heads, Enter picks one, a tick draws it with the others.");
/** Steps of a slider from its least to its most. */
const STEPS = 100;

/**
 * @param {HTMLElement} element
 * @param {HeadsTableData} data
 * @param {HeadsTableOptions} options
 * @returns {import("../../api/types.js").View<HeadsTableData>}
 */
export function headsTableView(element, data, options) {
  const { onPick, onToggle, onOrder, onFind, onLimit, onClear } = options;
  const find = el("input", { type: "search", id: "heads-find", autocomplete: "off", spellcheck: "false" });
  const count = el("span", { class: "note", role: "status" });
  const clear = el("button", { type: "button", class: "button", onclick: onClear }, t("Show all"));
  const tools = el(
    "div",
    { class: "toolbar" },
    el("label", { for: "heads-find" }, t("Find")),
    find,
    el("label", { class: "visually-hidden", for: "heads-find" }, t("such as 5 for a layer, 5.11 for a head")),
    ...[count, clear],
  );
  const head = el("thead");
  const body = el("tbody");
  const table = el("table", { class: "heads-table" }, el("caption", { class: "visually-hidden" }), head, body);
  const scroller = el("div", { class: "heads-scroller" }, table);
  const sliders = el("div", { class: "limits" });
  const filters = el("details", { class: "disclosure" }, el("summary", {}, t("Filter by value")), sliders);
  const notes = el("dl", { class: "metric-notes" });
  const meanings = el("details", { class: "disclosure" }, el("summary", {}, t("What each measure means")), notes);
  fill(element, tools, filters, scroller, el("p", { class: "note" }, keys()), meanings);

  let current = data;
  /** @type {HeadAt[]} */
  let listed = [];
  let focused = 0;
  find.placeholder = t("5 or 5.11");
  find.addEventListener("input", () => onFind(find.value));
  body.addEventListener("click", (event) => {
    const at = headOf(event.target);
    if (at && !(event.target instanceof HTMLInputElement)) onPick(at);
  });
  body.addEventListener("change", (event) => {
    const at = headOf(event.target);
    if (at) onToggle(at);
  });
  body.addEventListener("keydown", onKey);

  /** @param {EventTarget | null} target */
  function headOf(target) {
    const row = target instanceof Element ? target.closest("tr") : null;
    return row ? listed[[...body.rows].indexOf(row)] : undefined;
  }

  function build() {
    const names = Object.keys(current.part.metrics);
    fill(
      head,
      el(
        "tr",
        {},
        el("th", { scope: "col" }, el("span", { class: "visually-hidden" }, t("Together with others"))),
        heading("", t("Head")),
        ...names.map((name) => heading(name, metricTitle(name, current.info[name]))),
      ),
    );
    fill(sliders, ...names.map(limit));
    fill(
      notes,
      ...names.flatMap((name) => [
        el("dt", {}, metricTitle(name, current.info[name])),
        el("dd", { class: "note" }, ...metricNote(current.info[name])),
      ]),
    );
  }

  /**
   * @param {string} name  of a metric; "" for the heads' own order
   * @param {string} title
   */
  function heading(name, title) {
    // A measure is asked for its largest first, a number for its smallest.
    const first = name === "" ? "" : `-${name}`;
    const second = name === "" ? "-" : name;
    const { order } = current;
    const sort = order === first || order === second ? (order.startsWith("-") ? "descending" : "ascending") : null;
    const sign = sort === null ? "" : { descending: " ▾", ascending: " ▴" }[sort];
    const onclick = () => onOrder(current.order === first ? second : first);
    return el(
      "th",
      { scope: "col", "aria-sort": sort },
      el(
        "button",
        { type: "button", class: "heads-sort", onclick, "data-order": name },
        title,
        el("span", { "aria-hidden": "true" }, sign),
      ),
    );
  }

  /** @param {string} name */
  function limit(name) {
    const values = current.part.metrics[name].flat();
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const title = metricTitle(name, current.info[name]);
    const at = (/** @type {HTMLInputElement} */ input) => least + (Number(input.value) / STEPS) * (most - least);
    const input = (/** @type {string} */ label) =>
      el("input", { type: "range", min: 0, max: STEPS, step: 1, "aria-label": label });
    const low = input(t("{metric}: at least", { metric: title }));
    const high = input(t("{metric}: at most", { metric: title }));
    const text = el("output", { class: "note" });
    const change = () => {
      onLimit(name, [low.value === "0" ? -Infinity : at(low), high.value === String(STEPS) ? Infinity : at(high)]);
    };
    for (const one of [low, high]) one.addEventListener("input", change);
    const share = (/** @type {number} */ value) => Math.round(((value - least) / (most - least || 1)) * STEPS);
    const show = () => {
      const [from, to] = parseLimits(current.limits)[name] ?? [-Infinity, Infinity];
      low.value = String(Number.isFinite(from) ? share(from) : 0);
      high.value = String(Number.isFinite(to) ? share(to) : STEPS);
      text.textContent = `${fixed(Math.max(from, least), 2)} … ${fixed(Math.min(to, most), 2)}`;
      for (const one of [low, high]) one.setAttribute("aria-valuetext", fixed(at(one), 2));
    };
    show();
    const box = el("div", { class: "limit" }, el("span", { class: "limit-title" }, title), low, high, text);
    shows.push(show);
    return box;
  }

  /** @type {(() => void)[]} */
  const shows = [];

  function list() {
    const { part, order, find: words, limits, numbering } = current;
    const { metrics, layers, heads } = part;
    const held = body.contains(document.activeElement) ? document.activeElement?.getAttribute("type") : null;
    const before = listed[focused];
    listed = listHeads({ metrics, layers, heads, order, find: words, limits: parseLimits(limits), numbering });
    focused = Math.max(0, before ? indexOfHead(listed, before) : indexOfHead(listed, current));
    const most = Object.fromEntries(
      Object.entries(metrics).map(([name, all]) => [name, Math.max(...all.flat(), 1e-9)]),
    );
    fill(body, ...listed.map((at, index) => line(at, index, most)));
    if (find.value !== words) find.value = words;
    count.textContent = t("{shown} of {count} heads", { shown: listed.length, count: layers * heads });
    clear.hidden = words === "" && limits === "";
    mark();
    if (held !== null && listed.length > 0) focus(focused, held === "checkbox");
  }

  /**
   * @param {HeadAt} at
   * @param {number} index
   * @param {Record<string, number>} most
   */
  function line(at, index, most) {
    const { metrics } = current.part;
    const name = headName(at.layer, at.head, current.numbering);
    const short = `${at.layer + current.numbering}.${at.head + current.numbering}`;
    const mark = markOf(current.changed, at);
    const tab = index === focused ? 0 : -1;
    return el(
      "tr",
      {},
      el("td", {}, el("input", { type: "checkbox", tabindex: tab, "aria-label": t("{head}, too", { head: name }) })),
      el(
        "th",
        { scope: "row" },
        el(
          "button",
          { type: "button", class: "heads-pick", tabindex: tab },
          short,
          mark && el("span", { class: "head-mark", "aria-hidden": "true" }, MARK_SIGNS[mark]),
          el("span", { class: "visually-hidden" }, ` ${name}${mark ? `, ${markName(mark)}` : ""}`),
        ),
      ),
      ...Object.keys(metrics).map((metric) => {
        const value = metrics[metric][at.layer][at.head];
        const cell = el("td", { class: "heads-value" }, fixed(Math.abs(value) < 0.005 ? 0 : value, 2)); // no −0.00
        cell.style.setProperty("--share", String(Math.max(0, value) / most[metric]));
        return cell;
      }),
    );
  }

  function mark() {
    const chosen = parseHeads(current.chosen, current.part);
    [...body.rows].forEach((row, index) => {
      const isPicked = listed[index].layer === current.layer && listed[index].head === current.head;
      row.classList.toggle("is-chosen", isPicked);
      const box = /** @type {HTMLInputElement} */ (row.querySelector("input"));
      const pick = /** @type {HTMLButtonElement} */ (row.querySelector("button"));
      pick.setAttribute("aria-pressed", String(isPicked));
      box.checked = isPicked || indexOfHead(chosen, listed[index]) >= 0;
      box.disabled = isPicked;
    });
  }

  /** @param {number} index @param {boolean} isBox */
  function focus(index, isBox) {
    for (const one of body.querySelectorAll("input, button")) one.setAttribute("tabindex", "-1");
    const row = body.rows[index];
    for (const one of row.querySelectorAll("input, button")) one.setAttribute("tabindex", "0");
    focused = index;
    /** @type {HTMLElement | null} */ (row.querySelector(isBox ? "input:not(:disabled)" : "button"))?.focus();
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const at = headOf(event.target);
    if (!at) return;
    const index = indexOfHead(listed, at);
    /** @type {Record<string, number>} */
    const moves = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: listed.length - 1 };
    if (!Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    const next = Math.min(Math.max(moves[event.key], 0), listed.length - 1);
    focus(next, event.target instanceof HTMLInputElement);
  }

  /** The measure by which heads are ordered is in view: there may be more of them than room. */
  function reveal() {
    const sorted = /** @type {HTMLElement | null} */ (head.querySelector("th[aria-sort]"));
    const beyond = sorted ? sorted.offsetLeft + sorted.offsetWidth - scroller.clientWidth : 0;
    if (beyond > scroller.scrollLeft) scroller.scrollLeft = beyond;
  }

  build();
  list();
  reveal();
  // The head picked is in view from the start.
  const picked = /** @type {HTMLElement | null} */ (body.querySelector(".is-chosen"));
  if (picked) scroller.scrollTop = picked.offsetTop - scroller.clientHeight / 2;
  return {
    update(next) {
      const before = current;
      current = next;
      if (next.part !== before.part || next.order !== before.order) {
        const held = head.contains(document.activeElement) && document.activeElement?.getAttribute("data-order");
        shows.length = 0;
        build();
        if (typeof held === "string") {
          /** @type {HTMLElement | null} */ (head.querySelector(`[data-order="${held}"]`))?.focus();
        }
      }
      for (const show of shows) show();
      const isSame =
        next.part === before.part &&
        next.changed === before.changed &&
        next.order === before.order &&
        next.find === before.find &&
        next.limits === before.limits &&
        next.numbering === before.numbering;
      if (isSame) mark();
      else list();
      if (next.part !== before.part || next.order !== before.order) reveal();
    },
    destroy() {
      element.replaceChildren();
    },
  };
}
