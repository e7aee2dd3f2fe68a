/** Tables of heads, relations and pairs, and the names in them that choose something. */

import { el } from "../../base/dom.js";

/** @typedef {import("../../base/dom.js").Child} Content */

/**
 * @param {string[]} names  of the columns
 * @param {HTMLElement[]} rows
 * @param {object} [more]
 * @param {string} [more.kind]  a class besides
 * @param {HTMLElement | null} [more.foot]
 */
export function dataTable(names, rows, { kind = "", foot = null } = {}) {
  return el(
    "table",
    { class: `atlas-table ${kind}`.trim() },
    el("thead", {}, el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, ...rows),
    foot,
  );
}

/** A row whose first cell names it. @param {string | null} kind  class @param {Content} name @param {...HTMLElement} cells */
export function rowOf(kind, name, ...cells) {
  return el("tr", { class: kind }, el("th", { scope: "row" }, name), ...cells);
}

/** A table that may be wider than its place. @param {string} label @param {HTMLElement} table */
export function scrolled(label, table) {
  return el("div", { class: "atlas-scroll", tabindex: 0, role: "region", "aria-label": label }, table);
}

/** @param {string} name @param {() => void} onclick @param {Record<string, string>} [more]  attributes */
export function picking(name, onclick, more = {}) {
  return el("button", { type: "button", class: "atlas-pick", ...more, onclick }, name);
}

/** A bar behind a number. @param {number} share  of the longest */
export function barOf(share) {
  const bar = el("span", { class: "atlas-bar", "aria-hidden": "true" });
  bar.style.setProperty("--share", String(share));
  return bar;
}

/** @param {string} words */
export function noteOf(words) {
  return el("p", { class: "note" }, words);
}
