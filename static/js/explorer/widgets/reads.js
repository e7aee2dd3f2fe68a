/** One query's row of the stage that is shown, largest first: what it reads, receives, or scores highest with. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { tokenTitle } from "../../wording/labels.js";
import { fixed } from "../../base/numbers.js";
import { kindOf } from "./signed_shares.js";
import { isScore, rowUnit, rowVerb } from "../../wording/stage_words.js";
import { tokenName } from "../../wording/token_name.js";

/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} ReadsData
 * @property {Token} query
 * @property {Token[]} keys
 * @property {Float32Array} weights  one for each key; in other stages their scores or lengths
 * @property {import("../../api/types.js").Stage} stage
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
 * @returns {import("../../api/types.js").View<ReadsData>}
 */
export function readsView(element, data, { onPick, onPoint }) {
  /** @param {ReadsData} next */
  function draw(next) {
    const { stage, weights } = next;
    const { first, rest, others, masked } = rank(weights, SHOWN, stage === "weights" ? SEEN : -Infinity);
    const full = Math.max(stage === "weights" ? 1 : 0, ...first.map((index) => Math.abs(weights[index]))) || 1;
    const items = first.map((index) => item(next, index, full));
    const focused = element.contains(document.activeElement) ? document.activeElement?.getAttribute("data-key") : null;
    fill(
      element,
      el(
        "p",
        { class: "reads-title" },
        tokenName(next.query, { class: "is-query" }),
        " ",
        el("span", {}, rowVerb(stage)),
        rowUnit(stage) !== "" && el("span", { class: "note" }, ` (${rowUnit(stage)})`),
      ),
      el("ol", { class: "reads" }, ...items),
      others > 0 && el("p", { class: "note" }, othersNote(stage, others, rest)),
      masked > 0 && el("p", { class: "note" }, t("{count} masked (−∞)", { count: masked })),
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
    const bar = el("span", {
      class: `reads-bar${isScore(next.stage) ? ` ${kindOf(weight)}` : ""}`,
      "aria-hidden": "true",
    });
    bar.style.setProperty("--share", String(Math.abs(weight) / full));
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
 * What is not listed: weights add up, of scores and lengths the largest is said.
 * @param {import("../../api/types.js").Stage} stage
 * @param {number} count
 * @param {{sum: number, most: number}} rest
 */
function othersNote(stage, count, { sum, most }) {
  if (stage === "weights") return t("{count} others: {share}", { count, share: fixed(sum, 2) });
  return t("{count} others, at most {most} each", { count, most: fixed(most, 2) });
}

/**
 * The largest numbers, and what is left beside them.
 * @param {Float32Array} weights
 * @param {number} count
 * @param {number} [seen]  smaller ones are not listed, but for the largest of all
 * @returns {{first: number[], rest: {sum: number, most: number}, others: number, masked: number}}
 */
export function rank(weights, count, seen = SEEN) {
  const all = Array.from(weights.keys()).filter((index) => Number.isFinite(weights[index]));
  const order = all.sort((one, other) => weights[other] - weights[one] || one - other);
  const unseen = order.findIndex((index) => weights[index] < seen);
  const first = order.slice(0, Math.max(1, Math.min(count, unseen < 0 ? count : unseen)));
  const left = order.slice(first.length);
  const sum = left.reduce((total, index) => total + weights[index], 0);
  const rest = { sum, most: left.length > 0 ? weights[left[0]] : 0 };
  return { first, rest, others: left.length, masked: weights.length - order.length };
}
