/** What two runs predict, side by side, with how much each token gained or lost. */

import { pairCandidates } from "./difference.js";
import { el, fill } from "../../base/dom.js";
import { drawnView } from "../../base/mount.js";
import { t } from "../../base/i18n.js";
import { piecesApart, tokenLabel } from "../../wording/labels.js";
import { fixed } from "../../base/numbers.js";
import { tokenName } from "../../wording/token_name.js";

/** @typedef {import("./difference.js").CandidatePair} CandidatePair */
/** @typedef {import("../../api/types.js").Prediction} Prediction */
/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} PairsData
 * @property {Prediction[]} first
 * @property {Prediction[]} second
 * @property {Token[]} firstTokens
 * @property {Token[]} secondTokens
 * @property {string} firstName
 * @property {string} secondName
 * @property {boolean} isSameModel
 */

const SHOWN = 8;

/**
 * @param {HTMLElement} element
 * @param {PairsData} data
 * @returns {import("../../base/mount.js").View<PairsData>}
 */
export function predictionPairsView(element, data) {
  /** @param {PairsData} next */
  function draw(next) {
    const count = Math.min(next.first.length, next.second.length);
    if (count === 0) {
      fill(
        element,
        el("p", { class: "note" }, t("There are no predictions to compare: a model here predicts no tokens.")),
      );
      return;
    }
    fill(element, ...Array.from({ length: count }, (_, index) => table(next, index)));
  }

  return drawnView(element, data, draw);
}

/**
 * @param {PairsData} data
 * @param {number} index
 */
function table(data, index) {
  const { first, second, firstTokens, secondTokens, firstName, secondName, isSameModel } = data;
  const pairs = pairCandidates(first[index].candidates, second[index].candidates, isSameModel).slice(0, SHOWN);
  const names = piecesApart(pairs.map(({ piece }) => piece));
  const least = { first: leastOf(first[index]), second: leastOf(second[index]) };
  const [one, other] = [placeOf(first[index], firstTokens), placeOf(second[index], secondTokens)];
  return el(
    "table",
    { class: "pairs" },
    el("caption", {}, one === other ? one : `${one} | ${other}`),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("th", { scope: "col" }, t("token")),
        el("th", { scope: "col" }, firstName),
        el("th", { scope: "col" }, secondName),
        el("th", { scope: "col" }, t("difference")),
      ),
    ),
    el("tbody", {}, ...pairs.map((pair, index) => row(pair, names[index], least))),
  );
}

/**
 * @param {Prediction} prediction
 * @param {Token[]} tokens
 */
function placeOf({ kind, index }, tokens) {
  const token = tokens[index] ? tokenLabel(tokens[index]) : String(index);
  return kind === "next_token" ? t("After {token}", { token }) : t("In place of {token}", { token });
}

/** @param {Prediction} prediction */
function leastOf({ candidates }) {
  return Math.min(1, ...candidates.map(({ probability }) => probability));
}

/**
 * @param {CandidatePair} pair
 * @param {Token} piece  by which it is named
 * @param {{first: number, second: number}} least  the smallest probabilities that were listed
 */
function row({ first, second }, piece, least) {
  const shown = (/** @type {number | null} */ value, /** @type {number} */ limit) =>
    value === null ? `< ${fixed(limit, 3)}` : fixed(value, 3);
  const change = first === null || second === null ? null : second - first;
  const gained = (second ?? 0) > (first ?? 0);
  const bar = el("span", { class: `signed-bar ${gained ? "is-more" : "is-less"}`, "aria-hidden": "true" });
  bar.style.setProperty("--share", String(Math.abs((second ?? least.second) - (first ?? least.first))));
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, tokenName(piece)),
    el("td", {}, shown(first, least.first)),
    el("td", {}, shown(second, least.second)),
    el(
      "td",
      { class: "pairs-change" },
      el("span", {}, change === null ? (gained ? "↑" : "↓") : signed(change, 3)),
      bar,
    ),
  );
}

/**
 * A number that says its sign, unless it is written as 0.
 * @param {number} value
 * @param {number} digits
 * @returns {string}
 */
export function signed(value, digits) {
  const text = fixed(value, digits);
  if (Number(value.toFixed(digits)) === 0) return fixed(0, digits);
  return value > 0 ? `+${text}` : text;
}
