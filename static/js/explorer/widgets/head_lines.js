/** The lines of the table of heads: a button, a box and a value of each metric for each head. */

import { MARK_SIGNS, markName, markOf } from "../state/changes/changed_heads.js";
import { el, fill } from "../../base/dom.js";
import { indexOfHead, listHeads, parseHeads, parseLimits } from "../state/head_list.js";
import { t } from "../../base/i18n.js";
import { moveInList } from "../../base/key_moves.js";
import { headCode, headName } from "../../wording/labels.js";
import { fixed } from "../../base/numbers.js";

/** @typedef {import("../state/head_list.js").HeadAt} HeadAt */
/** @typedef {import("./heads_table.js").HeadsTableData} HeadsTableData */
/** @typedef {import("./heads_table.js").HeadsTableOptions} HeadsTableOptions */

/**
 * @param {HeadsTableOptions["onPick"]} onPick
 * @param {HeadsTableOptions["onToggle"]} onToggle
 */
export function createLines(onPick, onToggle) {
  /** @type {HeadAt[]} */
  let listed = [];
  const body = el("tbody", {
    onclick: ({ target }) => !(target instanceof HTMLInputElement) && at(target, onPick),
    onchange: ({ target }) => onToggle && at(target, onToggle),
  });
  const stops = createRowStops(body);

  /**
   * @param {EventTarget | null} target
   * @param {(head: HeadAt) => void} act
   */
  function at(target, act) {
    const head = listed[rowOf(body, target)];
    if (head) act(head);
  }

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

  return {
    body,
    /** @param {HeadsTableData} data @returns {number}  how many are listed */
    list(data) {
      const { part, order, find, limits, numbering } = data;
      const { metrics, layers, heads } = part;
      const held = body.contains(document.activeElement) ? document.activeElement?.getAttribute("type") : null;
      const before = listed[stops.now()];
      listed = listHeads({ metrics, layers, heads, order, find, limits: parseLimits(limits), numbering });
      const most = Object.entries(metrics).map(([name, values]) => [name, Math.max(...values.flat(), 1e-9)]);
      fill(body, ...listed.map((head) => line(data, head, Object.fromEntries(most), onToggle !== null)));
      stops.begin(Math.max(0, indexOfHead(listed, before ?? data)));
      mark(data);
      if (held !== null && listed.length > 0) stops.focus(stops.now(), held === "checkbox");
      return listed.length;
    },
    mark,
  };
}

/**
 * One stop of the Tab key among the boxes and buttons of all rows; arrows go up and down.
 * @param {HTMLTableSectionElement} body
 */
function createRowStops(body) {
  let stop = 0;
  body.addEventListener("keydown", (event) => {
    const { key, target } = event;
    const next = moveInList(key, rowOf(body, target), body.rows.length);
    if (next === null) return;
    event.preventDefault();
    focus(next, target instanceof HTMLInputElement);
  });

  /** @param {number} tab */
  function set(tab) {
    for (const control of body.rows[stop]?.querySelectorAll("input, button") ?? [])
      control.setAttribute("tabindex", String(tab));
  }

  /** @param {number} index */
  function begin(index) {
    stop = index;
    set(0);
  }

  /** @param {number} index @param {boolean} isBox */
  function focus(index, isBox) {
    set(-1);
    begin(index);
    /** @type {HTMLElement | null} */ (
      body.rows[index].querySelector(isBox ? "input:not(:disabled)" : "button")
    )?.focus();
  }

  return {
    /** The row that the Tab key leads to. */
    now: () => stop,
    /** In rows that are new. */
    begin,
    focus,
  };
}

/**
 * @param {HTMLTableSectionElement} body
 * @param {EventTarget | null} target
 */
function rowOf(body, target) {
  const row = target instanceof Element ? target.closest("tr") : null;
  return row ? [...body.rows].indexOf(row) : -1;
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
