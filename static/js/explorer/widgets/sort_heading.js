/** The heading of a column that sorts its table: a button, and a sign for the direction. */

import { el } from "../../base/dom.js";

/**
 * @template {string} Column
 * @typedef {{column: Column, isDescending: boolean}} Order
 */
/** @typedef {"ascending" | "descending" | null} Sort  of one column, as in `aria-sort`; null where another one sorts */

const SIGNS = { ascending: " ▴", descending: " ▾" };

/**
 * How a column is sorted.
 * @template {string} Column
 * @param {Order<Column>} order  of the table
 * @param {Column} column
 * @returns {Sort}
 */
export function sortOf(order, column) {
  if (order.column !== column) return null;
  return order.isDescending ? "descending" : "ascending";
}

/**
 * The order after a click on a column's heading: of the column that sorts already, the other way round.
 * @template {string} Column
 * @param {Order<Column>} order  of the table
 * @param {Column} column
 * @param {readonly Column[]} ascending  columns that begin with their least value; all others begin with their largest
 * @returns {Order<Column>}
 */
export function nextOrder(order, column, ascending) {
  return { column, isDescending: order.column === column ? !order.isDescending : !ascending.includes(column) };
}

/**
 * @param {string} title
 * @param {Sort} sort
 * @param {() => void} onclick
 * @param {Record<string, string | undefined>} [attributes]  of the button
 */
export function sortHeading(title, sort, onclick, attributes = {}) {
  const sign = el("span", { "aria-hidden": "true" }, sort && SIGNS[sort]);
  const button = el("button", { type: "button", class: "heads-sort", ...attributes, onclick }, title, sign);
  return el("th", { scope: "col", "aria-sort": sort }, button);
}
