/** One query's row, largest first: what it attends to, receives, or scores highest with. */

import { apartName } from "../../wording/token_apart.js";
import { el, fill, keepingFocus } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { drawnView } from "../../base/mount.js";
import { tokenTitle } from "../../wording/labels.js";
import { fixed } from "../../base/numbers.js";
import { shareItem } from "./share_list.js";
import { kindOf } from "./signed_shares.js";
import { isScore, rowUnit, rowVerb } from "../../wording/stage_words.js";
import { spokenName } from "../../wording/token_name.js";

/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} ReadsData
 * @property {Token} query
 * @property {Token[]} keys
 * @property {Float32Array} weights  one for each key, −∞ where it is masked; in other stages their scores or lengths
 * @property {import("../../api/types.js").Stage} stage
 * @property {number | null} key  the chosen one
 * @property {0 | 1} numbering
 * @property {boolean} [hasSink]  whether these are all weights of a row, and a learned sink takes the rest
 */

const SHOWN = 8;
/** Weights that would be written 0.00 are counted among the others. */
const SEEN = 0.005;

/**
 * @param {HTMLElement} element
 * @param {ReadsData} data
 * @param {{onPick: (key: number) => void, onPoint: (key: number | null) => void}} options
 * @returns {import("../../base/mount.js").View<ReadsData>}
 */
export function readsView(element, data, { onPick, onPoint }) {
  return drawnView(element, data, (next) => {
    const { query, keys, stage, weights, key, numbering, hasSink } = next;
    const { first, rest, others, masked } = rank(weights, SHOWN, stage === "weights" ? SEEN : -Infinity);
    const full = Math.max(stage === "weights" ? 1 : 0, ...first.map((index) => Math.abs(weights[index]))) || 1;
    const items = first.map((index) =>
      shareItem({
        name: spokenName(keys[index], numbering, { class: "is-key" }),
        value: fixed(weights[index], 2),
        share: Math.abs(weights[index]) / full,
        kind: isScore(stage) ? kindOf(weights[index]) : "",
        title: tokenTitle(keys[index], numbering),
        key: index,
        isChosen: index === key,
        onPick: () => onPick(index),
        onPoint: (isIn) => onPoint(isIn ? index : null),
      }),
    );
    const title = [
      apartName(keys, query, numbering, { class: "is-query" }),
      " ",
      el("span", {}, rowVerb(stage)),
      rowUnit(stage) !== "" && el("span", { class: "note" }, ` (${rowUnit(stage)})`),
    ];
    keepingFocus(element, () =>
      fill(
        element,
        el("p", { class: "reads-title" }, ...title),
        el("ol", { class: "reads" }, ...items),
        others > 0 && el("p", { class: "note" }, othersNote(stage, others, rest)),
        hasSink && el("p", { class: "note" }, t("the learned sink: {share}", { share: fixed(leftOf(weights), 2) })),
        masked > 0 && el("p", { class: "note" }, t("{count} masked", { count: masked })),
      ),
    );
  });
}

/** What the weights of a row leave to a sink. @param {Float32Array} weights */
function leftOf(weights) {
  return Math.max(
    0,
    weights.reduce((left, weight) => left - Math.max(0, weight), 1),
  );
}

/**
 * What is not listed: weights add up, of scores and lengths the largest is said.
 * @param {import("../../api/types.js").Stage} stage
 * @param {number} count
 * @param {{sum: number, most: number}} rest
 */
function othersNote(stage, count, { sum, most }) {
  if (stage === "weights") return t("other tokens ({count}): {share}", { count, share: fixed(sum, 2) });
  return t("other tokens ({count}): at most {most} each", { count, most: fixed(most, 2) });
}

/**
 * The largest numbers, and what is left beside them.
 * @param {Float32Array} weights
 * @param {number} count
 * @param {number} [seen]  smaller ones are not listed, but for the largest of all
 * @returns {{first: number[], rest: {sum: number, most: number}, others: number, masked: number}}
 */
export function rank(weights, count, seen = SEEN) {
  const indices = Array.from(weights.keys()).filter((index) => Number.isFinite(weights[index]));
  const order = indices.sort((a, b) => weights[b] - weights[a] || a - b);
  const unseen = order.findIndex((index) => weights[index] < seen);
  const first = order.slice(0, Math.max(1, Math.min(count, unseen < 0 ? count : unseen)));
  const left = order.slice(first.length);
  const sum = left.reduce((total, index) => total + weights[index], 0);
  const rest = { sum, most: left.length > 0 ? weights[left[0]] : 0 };
  return { first, rest, others: left.length, masked: weights.length - order.length };
}
