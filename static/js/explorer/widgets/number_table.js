/** A chart as a table of numbers, also for screen readers; built only while it is open. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("../../base/dom.js").Child} Child */

/**
 * @param {{label: string, summary?: string, make: () => (Child[] | null)}} options  what it holds; null for nothing yet
 */
export function tableDisclosure({ label, summary = t("Show as a table"), make }) {
  const table = el("div", { class: "table-scroller", tabindex: 0, role: "region", "aria-label": label });
  const element = el("details", { class: "disclosure", ontoggle: draw }, el("summary", {}, summary), table);
  function draw() {
    fill(table, ...((element.open && make()) || []));
  }
  return { element, draw };
}

/**
 * @param {Child[]} head  the names of the columns
 * @param {Child[][]} rows  the first of each names it
 * @returns {HTMLTableElement}
 */
export function numberTable(head, rows) {
  const cells = (/** @type {Child[]} */ row) =>
    row.map((cell, index) => (index === 0 ? el("th", { scope: "row" }, cell) : el("td", {}, cell)));
  return el(
    "table",
    { class: "numbers" },
    el("thead", {}, el("tr", {}, ...head.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, ...rows.map((row) => el("tr", {}, ...cells(row)))),
  );
}
