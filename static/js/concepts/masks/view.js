/** Masks: scores, the mask, what is left of the scores, and the weights; and what finite numbers let through. */

import { el, fill } from "../../base/dom.js";
import { nonNull } from "../../base/non_null.js";
import { t } from "../../base/i18n.js";
import { matrixMark } from "../../charts/matrix.js";
import { drawnView, matrixControl, pickCell, queriesByKeys, titledPlaces } from "../frame/views.js";
import {
  FILLS,
  LARGEST_SCORE,
  MOST_TOKENS,
  PRECISIONS,
  fitted,
  matrixOf,
  namesOf,
  ofSentence,
  withEnoughKeys,
} from "./state.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("../frame/concept.js").ConceptView<import("./state.js").MasksData>} View */

/** @typedef {import("./state.js").MasksState} MasksState */

export const scoresControl = matrixControl(
  {
    shown: (/** @type {Readonly<MasksState>} */ { scores }) => ({
      title: t("Scores"),
      values: scores,
      symbol: "s",
      role: "query",
    }),
    change: (state, scores) => ({ scores: withEnoughKeys(state, scores, state.scores) }),
  },
  { field: "scores", least: -LARGEST_SCORE, most: LARGEST_SCORE, rows: MOST_TOKENS, columns: MOST_TOKENS },
);

const LEAK_DIGITS = 4;
/** A smaller leak would be written as 0. */
const LEAST_SHOWN = 0.5 * 10 ** -LEAK_DIGITS;

/** @type {View} */
export const masksView = drawnView((element, tools) => {
  const places = titledPlaces(
    element,
    [t("Mask"), t("Masked scores"), t("Weights"), leakTitle()],
    "masks-box",
    [1, 2, 3, 3],
  );
  const sentence = el("p", { class: "masks-sentence" });
  element.prepend(sentence);
  const said = el("p", { class: "note" });
  places[3].after(said);
  const marks = places.map((place, index) =>
    mount(place, matrixMark, index < 3 ? pickCell(tools) : { mostHeight: 92 }),
  );
  bindMask(places[0], tools);

  return ({ state, answer }) => {
    const of = (/** @type {unknown[]} */ matrices) => matrixOf(state, matrices);
    const allowed = /** @type {boolean[][]} */ (ofSentence(state, answer.allowed));
    const names = namesOf(state, Math.max(allowed.length, allowed[0].length));
    const [rows, columns] = [names.slice(0, allowed.length), names.slice(0, allowed[0].length)];
    fill(sentence, ...seen(columns, allowed[state.query], state.query));
    const shared = { ...queriesByKeys(), rows, columns, chosen: { row: state.query, column: -1 } };
    marks[0]({
      ...shared,
      title: t("Mask"),
      values: of(answer.additive),
      digits: 0,
      ...(state.kind === "custom" ? { chosen: { row: state.query, column: state.key } } : {}),
    });
    marks[1]({ ...shared, title: t("Masked scores"), values: of(answer.masked_scores), scale: "signed", digits: 1 });
    marks[2]({ ...shared, title: t("Weights"), values: of(answer.weights), scale: "weight", digits: 4 });
    const leaks = FILLS.map((fill) => PRECISIONS.map((precision) => leakOf(answer, fill, precision)));
    const isTight = leaks.flat().every((leak) => leak < LEAST_SHOWN);
    said.textContent = isTight
      ? t("Here nothing leaks: −10,000 is as good as −∞, for the scores are small. Make them as large, and it is not.")
      : t("The largest weight any row puts on masked keys.");
    marks[3](
      isTight
        ? null
        : {
            title: leakTitle(),
            values: leaks,
            rows: FILLS.map(nameOf),
            columns: [...PRECISIONS],
            axes: t("added number ↓ precision →"),
            scale: "weight",
            digits: LEAK_DIGITS,
          },
    );
  };
});

/**
 * The sentence as one query has it: what it may not attend to is hidden.
 * @param {string[]} words
 * @param {boolean[]} allowed
 * @param {number} query
 */
function seen(words, allowed, query) {
  return words.flatMap((word, key) => {
    const kind = `masks-word${allowed[key] ? "" : " is-hidden"}${key === query ? " is-query" : ""}`;
    const hidden = allowed[key] ? null : el("span", { class: "visually-hidden" }, t("(hidden)"));
    return [el("span", { class: kind, translate: "no" }, el("span", {}, word), hidden), " "];
  });
}

const leakTitle = () => t("Finite instead of −∞: what leaks");

/**
 * A mask that is built by hand: the cell that was chosen is switched.
 * @param {HTMLElement} place
 * @param {import("../frame/concept.js").Tools<MasksState>} tools
 */
function bindMask(place, { set, latest }) {
  function toggle() {
    const { allowed, scores, query, key } = latest();
    const next = fitted(allowed, scores);
    next[query][key] = 1 - next[query][key];
    set({ allowed: next }, "pick");
  }
  const isBuilt = () => latest().kind === "custom";
  place.addEventListener("click", (event) => {
    if (isBuilt() && event.target instanceof Element && event.target.closest(".mark-cell")) toggle();
  });
  place.addEventListener("keydown", (event) => {
    if (!isBuilt() || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    toggle();
  });
}

/**
 * @param {import("./state.js").MasksAnswer} answer
 * @param {number | string} fill
 * @param {string} precision
 * @returns {number}
 */
function leakOf(answer, fill, precision) {
  return nonNull(answer.leaks.find((leak) => leak.precision === precision && leak.fill === fill)).largest;
}

/** @param {number | string} fill */
function nameOf(fill) {
  return fill === "-Infinity" ? "−∞" : `−10${["⁴", "⁵", "⁹"][[1e4, 1e5, 1e9].indexOf(-Number(fill))]}`;
}
