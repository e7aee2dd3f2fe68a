/** What two runs predict, side by side, with how much each token gained or lost. */

import { mostProbableFirst, pairCandidates } from "./difference.js";
import { el, fill } from "../../base/dom.js";
import { drawnView } from "../../base/mount.js";
import { t } from "../../base/i18n.js";
import { piecesApart } from "../../wording/labels.js";
import { apartLabel } from "../../wording/token_apart.js";
import { exact, fixed, small } from "../../base/numbers.js";
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
 * @property {0 | 1} numbering
 * @property {import("../../api/analyses.js").PredictionDifference | null} found  both distributions, once they are there
 */

/** @typedef {import("../../api/analyses.js").PredictionDifference["predictions"][number]} Change */

const SHOWN = 10;

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
  const { first, second, firstTokens, secondTokens, firstName, secondName, isSameModel, numbering } = data;
  const change = data.found?.predictions[index] ?? null;
  const candidates = change
    ? pairsOf(change, [...first[index].candidates, ...second[index].candidates])
    : pairCandidates(first[index].candidates, second[index].candidates, isSameModel);
  const pairs = candidates.slice(0, SHOWN);
  const names = piecesApart(
    pairs.map(({ piece }) => piece),
    first[index].kind === "class",
  );
  const most = Math.max(...pairs.map(({ first, second }) => Math.abs((second ?? 0) - (first ?? 0))), 1e-9);
  const [firstPlace, secondPlace] = [
    placeOf(first[index], firstTokens, numbering),
    placeOf(second[index], secondTokens, numbering),
  ];
  return el(
    "table",
    { class: "pairs" },
    el(
      "caption",
      {},
      firstPlace === secondPlace ? firstPlace : `${firstPlace} | ${secondPlace}`,
      change && distance(change),
    ),
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
    el("tbody", {}, ...pairs.map((pair, index) => row(pair, names[index], { isWhole: change !== null, most }))),
  );
}

/**
 * @param {Prediction} prediction
 * @param {Token[]} tokens
 * @param {0 | 1} numbering
 */
function placeOf({ kind, index }, tokens, numbering) {
  const token = tokens[index] ? apartLabel(tokens, tokens[index], numbering) : String(index + numbering);
  return kind === "next_token" ? t("After “{token}”", { token }) : t("In place of “{token}”", { token });
}

/**
 * The candidates of either, each with its probability in both.
 * @param {Change} found
 * @param {import("../../api/types.js").Candidate[]} listed
 * @returns {CandidatePair[]}
 */
function pairsOf({ candidates }, listed) {
  const pairs = candidates.map(({ id, text, before, after }) => {
    const known = listed.find((candidate) =>
      id === null ? candidate.text === text : candidate.id === id && candidate.text === text,
    );
    return { piece: known ?? { id: id ?? -1, text }, first: before, second: after };
  });
  return mostProbableFirst(pairs);
}

/**
 * How far the two distributions are apart.
 * @param {Change} found
 */
function distance({ divergence, total_variation: moved }) {
  if (divergence === null || moved === null) return null;
  const said = t("total variation {moved}, KL divergence {divergence} nats", {
    moved: fixed(moved, 3),
    divergence: exact(divergence),
  });
  const meaning = t("Total variation: the share of probability that has moved, from 0 to 1. KL: Σ p ln(p / q).");
  return el("span", { class: "pairs-distance", title: meaning }, said);
}

/**
 * @param {CandidatePair} pair
 * @param {Token} piece  by which it is named
 * @param {{isWhole: boolean, most: number}} table  whether both distributions are there, and the largest change in it
 */
function row({ first, second }, piece, { isWhole, most }) {
  const shown = (/** @type {number | null} */ value) => {
    if (value !== null) return value >= 0.001 || value === 0 ? fixed(value, 3) : small(value);
    return isWhole ? el("span", { title: t("not one token of this model") }, "–") : "…";
  };
  const change = first === null || second === null ? null : second - first;
  const gained = (second ?? 0) > (first ?? 0);
  const bar = el("span", { class: `signed-bar ${gained ? "is-more" : "is-less"}`, "aria-hidden": "true" });
  bar.style.setProperty("--share", String(Math.abs(change ?? 0) / most));
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, tokenName(piece)),
    el("td", {}, shown(first)),
    el("td", {}, shown(second)),
    el("td", { class: "pairs-change" }, el("span", {}, change === null ? "" : signed(change, 3)), bar),
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
