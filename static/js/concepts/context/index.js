/** The page of the same word in several sentences, in the frame of a concept. */

import { startConcept } from "../frame/concept.js";
import { calculation, comparisonTable, formulas, stateNames } from "./steps.js";
import { exercises, presets, SENTENCES } from "./presets.js";
import { need } from "../../base/dom.js";
import { codec, text, whole } from "../../base/fields.js";
import { t } from "../../base/i18n.js";
import { linesMark } from "../../charts/lines.js";
import { matrixMark } from "../../charts/matrix.js";
import { bindModelChoice, fillSelect, linkToExplorer, MINILM } from "../../page/model_choice.js";
import { contextView, LETTERS } from "./view.js";
import { mount } from "../../base/mount.js";

const MOST_TEXTS = 6;
const STEPS = 5;

const fields = {
  model: text(MINILM, 200),
  word: text("bank", 100),
  texts: text(SENTENCES.bank, 2000),
  first: whole(0, 0, MOST_TEXTS - 1),
  second: whole(1, 0, MOST_TEXTS - 1),
  layer: whole(5, 0, 999),
  head: whole(-1, -1, 999),
};

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} ContextState */

startConcept(document, () => {
  const own = codec(fields, STEPS);
  return { stem: "context", ...own, served: true, request, presets: () => presets(own.from), build, exercises };
});

/** @param {Readonly<ContextState>} state */
function request({ model, word, texts }) {
  const lines = texts.split("\n").flatMap((line) => (line.trim() ? [line.trim()] : []));
  return { model, texts: lines.map((line) => ({ text: line, word })) };
}

/**
 * @param {import("../frame/concept.js").Desk<ContextState>} desk
 * @returns {import("../frame/concept.js").Instrument<ContextState>}
 */
function build({ root, state, schedule }) {
  const select = (/** @type {string} */ id) => /** @type {HTMLSelectElement} */ (need(root, id));
  bindModelChoice(select("#model"), state, schedule);
  const pick = (/** @type {number} */ first, /** @type {number} */ second) => state.set({ first, second }, "pick");
  const sentences = mount(need(root, "#sentences"), contextView, {
    onPick: (one) => {
      const { first, second } = state.get();
      if (one === second) pick(second, first);
      else pick(first, one);
    },
  });
  const curves = mount(need(root, "#curves"), linesMark, {});
  const cosines = mount(need(root, "#cosines"), matrixMark, { onPick: ({ row, column }) => pick(row, column) });

  return {
    show(value, answer) {
      const at = placeOf(value, answer);
      const names = stateNames(answer.states);
      const letters = [...LETTERS.slice(0, answer.words.length)];
      drawControls(at, answer);
      sentences({ words: answer.words, ...at });
      curves(curvesOf(answer, at));
      cosines({
        title: t("Cosine of the word's vectors, {state}", { state: names[at.state] }),
        values: answer.cosines[at.state],
        rows: letters,
        columns: letters,
        scale: "weight",
        digits: 3,
        chosen: { row: at.first, column: at.second },
      });
      linkToExplorer(root, {
        model: value.model,
        text: request(value).texts[at.first]?.text ?? "",
        layer: at.layer,
        head: Math.max(at.head, 0),
        query: answer.words[at.first].word_tokens[0],
      });
      return {
        formulas: formulas(answer, at),
        steps: calculation(answer, at),
        table: comparisonTable(answer, at),
      };
    },
    pictures: () => ["#curves svg", "#cosines svg"].map((selector) => need(root, selector)),
  };

  /**
   * @param {import("./view.js").Place} at
   * @param {any} answer
   */
  function drawControls(at, answer) {
    const heads = answer.words[0].reads[0].length;
    const layer = /** @type {HTMLInputElement} */ (need(root, "#layer"));
    layer.max = String(answer.words[0].reads.length - 1);
    layer.value = String(at.layer);
    need(root, "#layer-value").textContent = String(at.layer);
    const names = Array.from({ length: heads }, (_, head) => [String(head), t("head {head}", { head })]);
    fillSelect(select("#head"), /** @type {[string, string][]} */ ([["-1", t("mean of the heads")], ...names]));
    /** @type {[string, string][]} */
    const letters = [...LETTERS.slice(0, answer.words.length)].map((letter, index) => [String(index), letter]);
    for (const name of /** @type {const} */ (["head", "first", "second"])) {
      if (name !== "head") fillSelect(select(`#${name}`), letters);
      select(`#${name}`).value = String(at[name]);
    }
  }
}

/**
 * The state within what the answer has: another model may have fewer layers, another text fewer sentences.
 * @param {Readonly<ContextState>} state
 * @param {any} answer
 * @returns {import("./view.js").Place}
 */
function placeOf({ first, second, layer, head }, answer) {
  const reads = answer.words[0].reads;
  const last = answer.words.length - 1;
  const shown = Math.min(layer, reads.length - 1);
  return {
    first: Math.min(first, last),
    second: Math.min(second, last),
    layer: shown,
    head: Math.min(head, reads[0].length - 1),
    state: shown + 2,
  };
}

/**
 * One curve for each other sentence, and that of different words.
 * @param {any} answer
 * @param {import("./view.js").Place} at
 */
function curvesOf(answer, at) {
  const x = (/** @type {number} */ state) => state - 2;
  const others = answer.words.flatMap((/** @type {any} */ _, /** @type {number} */ index) =>
    index === at.first ? [] : [index],
  );
  const series = others.map((/** @type {number} */ other) => ({
    name: `${LETTERS[at.first]}–${LETTERS[other]}`,
    colour: other,
    points: answer.cosines.map((/** @type {number[][]} */ one, /** @type {number} */ state) => [
      x(state),
      one[at.first][other],
    ]),
  }));
  const baseline = answer.baseline && {
    name: t("different words"),
    dashed: true,
    colour: 7,
    points: answer.baseline.map((/** @type {number} */ one, /** @type {number} */ state) => [x(state), one]),
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
}
