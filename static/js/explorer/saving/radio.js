/** A choice in an exported file. */

import { el } from "../../base/dom.js";

/**
 * @param {string} name
 * @param {string} label
 * @param {boolean} checked
 * @param {() => void} onchange
 * @param {string} [value]
 */
export function radio(name, label, checked, onchange, value = label) {
  return el("label", {}, el("input", { type: "radio", name, value, checked, onchange }), el("span", {}, label));
}
