/** What one query reads from: its row, largest first. */

import { el, fill } from "../dom.js";
import { t } from "../i18n.js";
import { tokenTitle } from "../labels.js";
import { fixed } from "../numbers.js";
import { tokenName } from "../token_name.js";

/** @typedef {import("../types.js").Token} Token */

/**
 * @typedef {object} ReadsData
 * @property {Token} query
 * @property {Token[]} keys
 * @property {Float32Array} weights  one for each key; in other stages what has become of it
 * @property {import("../types.js").Stage} stage  without negative values
 * @property {number | null} key  the chosen one
 * @property {0 | 1} numbering
 */

const SHOWN = 8;
/** Weights that would be written 0.00 are counted among the others. */
const SEEN = 0.005;

/**
 * @param {HTMLElement} element
 * @param {ReadsData} data
 * @param {{onPick: (key: number) => void, onPoint: (key: number | null) => void}} options
 * @returns {import("../types.js").View<ReadsData>}
 */
export function readsView(element, data, { onPick, onPoint }) {
  /** @param {ReadsData} next */
  function draw(next) {
    const { first, rest, others } = rank(next.weights, SHOWN);
    const full = Math.max(1, next.weights[first[0]]);
    const items = first.map((index) => item(next, index, full));
    const focused = element.contains(document.activeElement) ? document.activeElement?.getAttribute("data-key") : null;
    fill(
      element,
      el(
        "p",
        { class: "reads-title" },
        tokenName(next.query, { class: "is-query" }),
        " ",
        el("span", {}, next.stage === "weights" ? t("reads from") : t("receives from")),
      ),
      el("ol", { class: "reads" }, ...items),
      others > 0 && el("p", { class: "note" }, t("{count} others: {share}", { count: others, share: fixed(rest, 2) })),
    );
    if (focused) /** @type {HTMLElement | null} */ (element.querySelector(`[data-key="${focused}"]`))?.focus();
  }

  /**
   * @param {ReadsData} next
   * @param {number} index
   * @param {number} full  the value of a whole bar
   */
  function item(next, index, full) {
    const token = next.keys[index];
    const weight = next.weights[index];
    const bar = el("span", { class: "reads-bar", "aria-hidden": "true" });
    bar.style.setProperty("--share", String(weight / full));
    const button = el(
      "button",
      {
        type: "button",
        class: "reads-item",
        title: tokenTitle(token, next.numbering),
        "data-key": index,
        "aria-pressed": String(index === next.key),
        onclick: () => onPick(index),
        onpointerenter: () => onPoint(index),
        onpointerleave: () => onPoint(null),
      },
      el("span", { class: "reads-name" }, tokenName(token, { class: "is-key" }), index_(token, next)),
      el("span", { class: "reads-value" }, fixed(weight, 2)),
      bar,
    );
    return el("li", {}, button);
  }

  draw(data);
  return {
    update: draw,
    destroy() {
      element.replaceChildren();
    },
  };
}

/**
 * @param {Token} token
 * @param {ReadsData} data
 */
function index_(token, { numbering }) {
  return el("span", { class: "token-index" }, token.index + numbering);
}

/**
 * The largest weights, and what the others add up to.
 * @param {Float32Array} weights
 * @param {number} count
 * @returns {{first: number[], rest: number, others: number}}
 */
export function rank(weights, count) {
  const order = Array.from(weights.keys()).sort((one, other) => weights[other] - weights[one] || one - other);
  const seen = order.findIndex((index) => weights[index] < SEEN);
  const first = order.slice(0, Math.max(1, Math.min(count, seen < 0 ? count : seen)));
  const rest = order.slice(first.length).reduce((sum, index) => sum + weights[index], 0);
  return { first, rest, others: order.length - first.length };
}
