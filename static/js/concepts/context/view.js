/** The sentences with the word in them: what it reads in the layer looked at, and which tokens are nearest to it. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { direction, tokenLabel } from "../../wording/labels.js";
import { fixed } from "../../base/numbers.js";
import { tokenName } from "../../wording/token_name.js";

/** How sentences are called. */
export const LETTERS = "ABCDEF";

/** Smaller weights get no number. */
const LEAST_SAID = 0.05;
const BAR = 40;

/**
 * @typedef {object} Place  what of the answer is looked at
 * @property {number} first  sentence
 * @property {number} second
 * @property {number} layer
 * @property {number} head  −1 for the mean of all
 * @property {number} state  of the API's states: the layer's, after the table and the embeddings
 */

/** @typedef {Place & {words: any[]}} ContextData */

/**
 * @param {HTMLElement} element
 * @param {ContextData} data
 * @param {{onPick: (sentence: number) => void}} options
 * @returns {import("../../api/types.js").View<ContextData>}
 */
export function contextView(element, data, { onPick }) {
  const list = el("ol", { class: "sentences" });
  fill(element, list);

  /** @param {ContextData} next */
  function draw(next) {
    const focused = document.activeElement?.closest(".sentence-letter");
    const at = focused ? [...list.querySelectorAll(".sentence-letter")].indexOf(focused) : -1;
    fill(list, ...next.words.map((word, index) => sentence(word, index, next)));
    if (at >= 0) /** @type {HTMLElement[]} */ ([...list.querySelectorAll(".sentence-letter")])[at]?.focus();
  }

  /**
   * @param {any} word
   * @param {number} index
   * @param {ContextData} at
   */
  function sentence(word, index, at) {
    const letter = LETTERS[index];
    const weights = weightsOf(word.reads[at.layer], at.head);
    const isChosen = index === at.first || index === at.second;
    const button = el(
      "button",
      { type: "button", class: "sentence-letter", "aria-pressed": String(isChosen), onclick: () => onPick(index) },
      letter,
    );
    button.setAttribute("aria-label", t("Compare sentence {letter}", { letter }));
    return el(
      "li",
      { class: `sentence${isChosen ? " is-chosen" : ""}` },
      button,
      el(
        "div",
        { class: "sentence-tokens", dir: direction(word.tokens) },
        ...word.tokens.map((/** @type {any} */ token, /** @type {number} */ place) =>
          tokenOf(token, weights[place], word.word_tokens.includes(place)),
        ),
      ),
      nearestOf(word.nearest[at.state], at.words, index),
    );
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
 * @param {number[][]} heads
 * @param {number} head  −1 for the mean of all
 * @returns {number[]}
 */
function weightsOf(heads, head) {
  if (head >= 0) return heads[head];
  return heads[0].map((_, key) => heads.reduce((sum, row) => sum + row[key], 0) / heads.length);
}

/**
 * @param {any} token
 * @param {number} weight
 * @param {boolean} isWord
 */
function tokenOf(token, weight, isWord) {
  const bar = el("span", { class: "token-bar" });
  bar.style.blockSize = `${(weight * BAR).toFixed(1)}px`;
  const label = tokenLabel(token);
  const element = el(
    "span",
    { class: `context-token${isWord ? " is-word" : ""}${token.special ? " is-special" : ""}` },
    el("span", { class: "token-text" }, tokenName(token)),
    el("span", { class: "token-bar-box" }, bar),
    el("span", { class: "token-weight" }, weight >= LEAST_SAID ? fixed(weight, 2) : ""),
  );
  element.title = `${label}: ${fixed(weight, 4)}`;
  return element;
}

/**
 * @param {{text: number, token: number, cosine: number}[]} nearest
 * @param {any[]} words
 * @param {number} index
 */
function nearestOf(nearest, words, index) {
  if (nearest.length === 0) return null;
  const said = nearest.map(({ text, token, cosine }) => {
    const label = tokenLabel(words[text].tokens[token]);
    const place = text === index ? label : `${label} (${LETTERS[text]})`;
    return el("span", { class: "near" }, `${place} `, el("span", { class: "near-cosine" }, fixed(cosine, 2)));
  });
  return el("p", { class: "sentence-near note" }, t("nearest:"), " ", ...said);
}
