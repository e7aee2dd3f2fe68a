/** The sentences with the word in them: what it reads in the layer looked at, and which tokens are nearest to it. */

import { chartView, drawnView } from "../frame/views.js";
import { LETTERS, placeOf } from "./state.js";
import { linePlot } from "../../charts/plots/line_plot.js";
import { matrixMark } from "../../charts/matrix.js";
import { stateNames } from "./steps.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { direction, tokenLabel } from "../../wording/labels.js";
import { fixed } from "../../base/numbers.js";
import { tokenName } from "../../wording/token_name.js";

/** Smaller weights get no number. */
const LEAST_SAID = 0.05;
const BAR = 28;

/** @typedef {import("./state.js").ContextData} ContextData */
/** @typedef {import("../frame/concept.js").ConceptView<ContextData>} View */
/** @type {View} */
export const sentencesView = drawnView((element, { set, latest }) => {
  const list = el("ol", { class: "sentences" });
  fill(element, list);

  return ({ state, answer }) => {
    const focused = document.activeElement?.closest(".sentence-letter");
    const focusedIndex = focused ? [...list.querySelectorAll(".sentence-letter")].indexOf(focused) : -1;
    fill(list, ...answer.words.map((_, index) => sentence(index, state, answer, pick)));
    if (focusedIndex >= 0)
      /** @type {HTMLElement[]} */ ([...list.querySelectorAll(".sentence-letter")])[focusedIndex]?.focus();
  };

  /** The first of the two; the second, chosen again, becomes the first. @param {number} sentence */
  function pick(sentence) {
    const { first, second } = latest();
    set(sentence === second ? { first: second, second: first } : { first, second: sentence }, "pick");
  }
});

/**
 * @param {number} index
 * @param {ContextData["state"]} chosen
 * @param {import("./state.js").ContextAnswer} answer
 * @param {(sentence: number) => void} onPick
 */
function sentence(index, chosen, { words }, onPick) {
  const [letter, word] = [LETTERS[index], words[index]];
  const weights = weightsOf(word.reads[chosen.layer], chosen.head);
  const isChosen = index === chosen.first || index === chosen.second;
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
      ...word.tokens.map((token, place) => tokenOf(token, weights[place], word.word_tokens.includes(place))),
    ),
    nearestOf(word.nearest[placeOf(chosen).state], words, index),
  );
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
 * @param {import("../../api/types.js").Token} token
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
    el("span", { class: "token-weight" }, weight >= LEAST_SAID ? fixed(weight, 2) : ""),
    el("span", { class: "token-bar-box" }, bar),
  );
  element.title = `${label}: ${fixed(weight, 4)}`;
  return element;
}

/**
 * @param {{text: number, token: number, cosine: number}[]} nearest
 * @param {import("./state.js").ContextAnswer["words"]} words
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

/** @type {View} */
export const cosinesView = chartView(
  matrixMark,
  ({ state, answer }) => {
    const place = placeOf(state);
    const letters = [...LETTERS.slice(0, answer.words.length)];
    return {
      title: t("Cosine of the word's vectors, {state}", { state: stateNames(answer.states)[place.state] }),
      values: answer.cosines[place.state],
      rows: letters,
      columns: letters,
      scale: /** @type {const} */ ("weight"),
      digits: 3,
      chosen: { row: place.first, column: place.second },
    };
  },
  ({ row, column }) => ({ first: row, second: column }),
);

/** One curve for each other sentence, and that of different words. @type {View} */
export const curvesView = chartView(linePlot, ({ state: at, answer }) => {
  const x = (/** @type {number} */ state) => state - 2;
  const others = answer.words.flatMap((_, index) => (index === at.first ? [] : [index]));
  /** @type {import("../../charts/lines.js").Series[]} */
  const series = others.map((other) => ({
    name: `${LETTERS[at.first]}–${LETTERS[other]}`,
    colour: other,
    points: answer.cosines.map((cosine, state) => [x(state), cosine[at.first][other]]),
  }));
  /** @type {import("../../charts/lines.js").Series | null} */
  const baseline = answer.baseline && {
    name: t("different words"),
    dashed: true,
    colour: 7,
    points: answer.baseline.map((cosine, state) => [x(state), cosine]),
  };
  const layers = answer.states.length - 2;
  const every = Math.ceil(layers / 12);
  return {
    title: t("Cosine of the word in sentence {letter} with the others, layer by layer", {
      letter: LETTERS[at.first],
    }),
    series: baseline ? [...series, baseline] : series,
    x: {
      name: t("after layer"),
      says: placeName,
      least: -2,
      most: layers - 1,
      ticks: Array.from({ length: layers }, (_, layer) => layer).filter((layer) => layer % every === 0),
    },
    y: {
      name: t("cosine"),
      least: Math.min(0, ...answer.cosines.flat(2), ...(answer.baseline ?? [])),
      most: 1,
    },
    verticals: [
      { x: -2, name: t("table") },
      { x: -1, name: t("+ position") },
      { x: at.layer, name: "" },
    ],
    height: 250,
  };
});

/** A state of the word, as the axis counts them. @param {number} place */
function placeName(place) {
  if (place === -2) return t("in the table");
  return place === -1 ? t("with position") : t("after layer {layer}", { layer: place });
}
