/** Additive attention from the inside: query and key concatenated, hidden sums, their tanh, one number; and every key. */

import { drawnView } from "../frame/views.js";
import { el, fill } from "../../base/dom.js";
import { fixed, lowered } from "../../base/numbers.js";
import { hiddenOf } from "./numbers.js";
import { matrixMark } from "../../charts/matrix.js";
import { mount } from "../../base/mount.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("./numbers.js").ScoringData} ScoringData */
/** @typedef {import("./numbers.js").Hidden} Hidden */
/** @typedef {import("../../charts/matrix.js").MatrixMark} MatrixMark */

/** The step that adds up what the hidden units say of a pair. */
const LAST_OF_PAIR = 4;
/** Heights in pixels: everything about one pair, and the stages below it, should be seen together. */
const [PAIR_HEIGHT, LAYER_HEIGHT, KEYS_HEIGHT] = [30, 120, 200];

/** @type {import("../frame/concept.js").ConceptView<ScoringData>} */
export const hiddenLayerView = drawnView((element, { set }) => {
  const pair = createSection("pair");
  const keys = createSection("keys");
  const [vectors, layer, every] = [
    el("div"),
    el("div", { class: "stage-picture" }),
    el("div", { class: "stage-picture" }),
  ];
  pair.section.append(vectors, layer);
  keys.section.append(every);
  const showVectors = mount(vectors, matrixMark, { mostHeight: PAIR_HEIGHT });
  const showLayer = mount(layer, matrixMark, { mostHeight: LAYER_HEIGHT });
  const onPick = (/** @type {{row: number}} */ { row }) => set({ key: row }, "switch");
  const showKeys = mount(every, matrixMark, { onPick, mostHeight: KEYS_HEIGHT });
  fill(element, pair.section, keys.section);

  return ({ state, first }) => {
    const hidden = hiddenOf(first, state);
    pair.draw({
      title: t("Query {query} with key {key}", { query: state.query, key: state.key }),
      caption: t("A hidden layer makes one number of both: {score}", {
        score: fixed(first.raw_scores[state.query][state.key], 4),
      }),
      isNow: state.step <= LAST_OF_PAIR,
      isLater: false,
    });
    keys.draw({
      title: t("Query {query} with every key", { query: state.query }),
      caption: t("What tanh leaves of each hidden sum"),
      isNow: state.step === LAST_OF_PAIR + 1,
      isLater: state.step <= LAST_OF_PAIR,
    });
    showVectors(hidden && pairOf(hidden));
    showLayer(hidden && layerOf(hidden, state.step));
    showKeys(hidden && keysOf(hidden, state));
  };
});

/** @param {string} stage */
function createSection(stage) {
  const [heading, note] = [el("h3", { class: "stage-title" }), el("p", { class: "stage-caption note" })];
  const section = el("section", { class: "stage is-picture", "data-stage": stage }, heading, note);

  /** @param {{title: string, caption: string, isNow: boolean, isLater: boolean}} told */
  function draw({ title, caption, isNow, isLater }) {
    heading.textContent = title;
    note.textContent = caption;
    section.classList.toggle("is-now", isNow);
    section.classList.toggle("is-later", isLater);
  }
  return { section, draw };
}

/** @param {Hidden} hidden @returns {MatrixMark} */
function pairOf({ query, key }) {
  return {
    title: t("Query and key, concatenated"),
    values: [[...query, ...key]],
    rows: ["[q; k]"],
    columns: [...query.map(() => "q"), ...key.map(() => "k")],
    scale: "signed",
  };
}

/** @param {Hidden} hidden @param {number} step @returns {MatrixMark} */
function layerOf({ sums, squashed, weights, parts }, step) {
  return {
    title: t("Hidden layer"),
    values: [sums, squashed, weights, parts],
    rows: ["W[q;k]+b", "tanh", "w", "w · tanh"],
    columns: unitsOf(sums),
    scale: "signed",
    later: [0, 1, 2, 4][Math.min(step, LAST_OF_PAIR) - 1],
  };
}

/** @param {Hidden} hidden @param {{key: number}} state @returns {MatrixMark} */
function keysOf({ everyKey }, { key }) {
  return {
    title: t("What tanh leaves of each hidden sum"),
    values: everyKey,
    rows: everyKey.map((_, index) => `k${lowered(index)}`),
    rowRole: "key",
    columns: unitsOf(everyKey[0]),
    scale: "signed",
    most: 1,
    chosen: { row: key, column: -1 },
  };
}

/** @param {number[]} units */
function unitsOf(units) {
  return units.map((_, index) => `h${lowered(index)}`);
}
