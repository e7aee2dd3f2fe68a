/** The page of our attention beside the library's, in the frame of a concept. */

import { startConcept } from "../frame/concept.js";
import { need } from "../../base/dom.js";
import { choice, codec, text, whole } from "../../base/fields.js";
import { t } from "../../base/i18n.js";
import { tokenLabel } from "../../wording/labels.js";
import { linesMark } from "../../charts/lines.js";
import { matrixMark } from "../../charts/matrix.js";
import { bindModelChoice, fillSelect, linkToExplorer, MINILM } from "../../page/model_choice.js";
import { calculation, formulas, largest, layerTable, tidy } from "./steps.js";
import { exercises, presets, TEXT } from "./presets.js";
import { mount } from "../../base/mount.js";
import { parityView, SHOWN } from "./view.js";

/** What a log axis begins with; differences of 0 stand on it. */
const FLOOR = 1e-8;

const fields = {
  model: text(MINILM, 200),
  text: text(TEXT, 400),
  part: choice(["", "encoder", "decoder", "cross"]),
  layer: whole(5, 0, 999),
  head: whole(11, 0, 999),
  query: whole(8, 0, SHOWN - 1),
  key: whole(2, 0, SHOWN - 1),
};

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} ParityState */

startConcept(document, () => {
  const own = codec(fields, 9);
  return { stem: "parity", ...own, served: true, request, presets: () => presets(own.from), build, exercises };
});

/** @param {Readonly<ParityState>} state */
function request({ model, text: given, part, layer, head }) {
  return { model, text: given, layer, head, ...(part ? { part } : {}) };
}

/**
 * @param {import("../frame/concept.js").Desk<ParityState>} desk
 * @returns {import("../frame/concept.js").Instrument<ParityState>}
 */
function build({ root, state, schedule }) {
  const select = (/** @type {string} */ id) => /** @type {HTMLSelectElement} */ (need(root, id));
  bindModelChoice(select("#model"), state, schedule);
  // Another model has other layers and heads: begin where every model has one.
  select("#model").addEventListener("change", () => {
    state.set({ model: select("#model").value, part: "", layer: 0, head: 0, query: 1, key: 0 }, "pick");
  });
  const sides = mount(need(root, "#sides"), parityView, { onPick: (at) => state.set(at, "pick") });
  const heads = mount(need(root, "#heads"), matrixMark, {
    onPick: ({ row, column }) => state.set({ layer: row, head: column }, "pick"),
  });
  const curves = mount(need(root, "#curves"), linesMark, {});

  return {
    show(value, answer) {
      const part = answer.parts.find((/** @type {{name: string}} */ one) => one.name === answer.part);
      const isCross = answer.part === "cross";
      const isTarget = answer.target_tokens && answer.part !== "encoder";
      const keys = (isTarget && !isCross ? answer.target_tokens : answer.tokens).map(tokenLabel);
      const queries = (isTarget ? answer.target_tokens : answer.tokens).map(tokenLabel);
      const chosen = {
        query: Math.min(value.query, queries.length - 1, SHOWN - 1),
        key: Math.min(value.key, keys.length - 1, SHOWN - 1),
      };
      drawControls(value, answer);
      drawVerdict(root, answer);
      sides({ queries, keys, ours: answer.ours, theirs: answer.theirs, chosen });
      need(root, "#cut").hidden = Math.max(queries.length, keys.length) <= SHOWN;
      heads({
        title: t("Largest difference of any weight, in units of 10⁻⁷"),
        values: part.weights.map((/** @type {number[]} */ row) => row.map((one) => one * 1e7)),
        scale: "weight",
        most: Math.max(largest(answer) * 1e7, 1e-9),
        digits: 1,
        axes: t("layer ↓ head →, in units of 10⁻⁷"),
        chosen: { row: answer.layer, column: answer.head },
      });
      curves(curvesOf(answer));
      linkToExplorer(root, { model: value.model, text: value.text, layer: answer.layer, head: answer.head, ...chosen });
      return {
        formulas: formulas(answer),
        steps: calculation(answer, { layer: answer.layer, head: answer.head, ...chosen }, [
          queries[chosen.query],
          keys[chosen.key],
        ]),
        table: layerTable(answer),
      };
    },
    pictures: () => ["#sides svg", "#heads svg", "#curves svg"].map((one) => need(root, one)),
  };

  /**
   * @param {Readonly<ParityState>} value
   * @param {any} answer
   */
  function drawControls(value, answer) {
    select("#model").value = value.model;
    /** @type {[string, string][]} */
    const parts = answer.parts.map((/** @type {{name: string}} */ one) => [one.name, one.name]);
    fillSelect(select("#part"), parts);
    select("#part").value = answer.part;
    need(root, "#part-field").hidden = parts.length < 2;
  }
}

/**
 * @param {Document} root
 * @param {any} answer
 */
function drawVerdict(root, answer) {
  const place = need(root, "#verdict");
  const sizes = {
    weights: tidy(largest(answer)),
    state: tidy(answer.relative_hidden_state),
    bound: tidy(answer.bound),
  };
  place.className = `parity-verdict ${answer.within_bound ? "is-good" : "is-bad"}`;
  place.textContent = answer.within_bound
    ? t(
        "✓ Weights differ by {weights} at most, the last hidden state by {state} of its largest number: within {bound}.",
        sizes,
      )
    : t(
        "✗ Weights differ by {weights} at most, the last hidden state by {state} of its largest number: more than {bound}.",
        sizes,
      );
  need(root, "#dtype").textContent = answer.dtype;
}

/** @param {any} answer @returns {import("../../charts/lines.js").LinesMark} */
function curvesOf(answer) {
  const { part, bound, hidden_states: hidden } = answer;
  /** @type {{weights: number[][]}} */
  const shown = answer.parts.find((/** @type {{name: string}} */ one) => one.name === part);
  const last = shown.weights.length;
  const point = (/** @type {number} */ x, /** @type {number} */ y) =>
    /** @type {[number, number]} */ ([x, Math.max(y, FLOOR)]);
  /** @type {number[]} */
  const states = hidden[part] ?? [];
  return {
    title: t("Largest differences, layer by layer"),
    series: [
      {
        name: t("weights of the layer"),
        points: shown.weights.map((heads, layer) => point(layer + 1, Math.max(...heads))),
      },
      { name: t("hidden state behind it"), points: states.map((value, index) => point(index, value)) },
      { name: t("the bound"), dashed: true, colour: 7, points: [point(0, bound), point(last, bound)] },
    ],
    x: { name: t("layers passed"), least: 0, most: last, ticks: Array.from({ length: last + 1 }, (_, index) => index) },
    y: { name: t("difference"), least: FLOOR, most: 1e-4, log: true },
    height: 220,
  };
}
