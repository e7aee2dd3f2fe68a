/** The page of the transformer block, in the frame of a concept. */

import { blockTable, calculation, currentFormula, generalFormulas } from "./steps.js";
import { exercises, presets, TEXT } from "./presets.js";
import { startConcept } from "../frame/concept.js";
import { el, fill, need } from "../../base/dom.js";
import { choice, codec, text, whole } from "../../base/fields.js";
import { t } from "../../base/i18n.js";
import { piecesApart, tokenLabel } from "../../wording/labels.js";
import { barsMark } from "../../charts/bars.js";
import { linesMark } from "../../charts/lines.js";
import { matrixMark } from "../../charts/matrix.js";
import { bindModelChoice, fillSelect, linkToExplorer } from "../../page/model_choice.js";
import { small } from "../../base/numbers.js";
import { blockView } from "./view.js";
import { mount } from "../../base/mount.js";

const fields = {
  model: text("", 200),
  text: text(TEXT, 400),
  layer: whole(1, 0, 999),
  token: whole(5, 0, 9999),
  form: choice(["modern", "llama", "gpt2"]),
  seed: whole(0, 0, 9999),
  number: whole(0, 0, 99999),
};

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} BlockState */

startConcept(document, () => {
  const own = codec(fields, 99);
  return { stem: "block", ...own, served: true, request, presets: () => presets(own.from), build, exercises };
});

/** @param {Readonly<BlockState>} state */
function request({ model, text: given, layer, token, form, seed }) {
  return model ? { model, text: given, layer, token } : { text: given, layer, token, own: { form, seed } };
}

/**
 * @param {import("../frame/concept.js").Desk<BlockState>} desk
 * @returns {import("../frame/concept.js").Instrument<BlockState>}
 */
function build({ root, state, schedule }) {
  const select = (/** @type {string} */ id) => /** @type {HTMLSelectElement} */ (need(root, id));
  bindModelChoice(select("#model"), state, schedule);
  // Another model has other layers and tokens: begin where every model has one.
  select("#model").addEventListener("change", () => {
    state.set({ model: select("#model").value, layer: 0, token: Math.min(state.get().token, 1) }, "pick");
  });
  const typed = /** @type {HTMLInputElement} */ (need(root, "#text"));
  typed.addEventListener("input", () => {
    const words = typed.value.trim().split(/\s+/).length;
    state.set({ text: typed.value, token: Math.min(state.get().token, words - 1) }, "type");
  });
  const block = mount(need(root, "#block"), blockView, {
    onPick: (station, number) => {
      const step = (shown?.stations ?? []).findIndex((/** @type {any} */ one) => one.name === station) + 1;
      state.set(number === null ? { step } : { step, number }, "pick");
    },
  });
  const curves = mount(need(root, "#curves"), linesMark, {});
  const weights = mount(need(root, "#weights"), matrixMark, {});
  const next = mount(need(root, "#next"), barsMark, {});
  /** @type {any} */
  let shown = null;

  return {
    show(value, answer) {
      shown = answer;
      const width = answer.stations[0].vector.length;
      const number = Math.min(value.number, width - 1);
      const labels = answer.tokens.map(tokenLabel);
      drawControls(value, answer, labels);
      const step = Math.min(value.step, answer.stations.length);
      block({ stations: answer.stations, chosen: answer.stations[step - 1].name, number });
      curves(curvesOf(answer));
      weights({
        title: t("What the heads of this block read from this token"),
        values: answer.weights,
        columns: labels,
        columnRole: "key",
        scale: "weight",
        axes: t("head ↓ reads from key →"),
      });
      need(root, "#next-box").hidden = answer.guesses.length === 0;
      next(
        answer.guesses.length === 0
          ? null
          : {
              title: t("The model's guesses for the next token"),
              names: piecesApart(answer.guesses).map(tokenLabel),
              series: [
                { name: t("probability"), values: answer.guesses.map((/** @type {any} */ one) => one.probability) },
              ],
              most: 1,
              height: 150,
            },
      );
      drawChecks(root, answer.checks);
      linkToExplorer(
        root,
        value.model ? { model: value.model, text: value.text, layer: answer.layer, query: answer.token } : {},
      );
      return {
        formulas: [...generalFormulas(answer.order), currentFormula(answer, number)],
        steps: calculation(answer, number),
        table: blockTable(answer, number),
      };
    },
    pictures: () => ["#block svg", "#curves svg", "#weights svg"].map((one) => need(root, one)),
  };

  /**
   * @param {Readonly<BlockState>} value
   * @param {any} answer
   * @param {string[]} labels
   */
  function drawControls(value, answer, labels) {
    select("#model").value = value.model;
    if (typed !== document.activeElement) typed.value = value.text;
    const layer = /** @type {HTMLInputElement} */ (need(root, "#layer"));
    layer.max = String(answer.layers - 1);
    layer.value = String(answer.layer);
    const options = labels.map((label, index) => [String(index), `${index} ${label}`]);
    fillSelect(select("#token"), /** @type {[string, string][]} */ (options));
    select("#token").value = String(answer.token);
    need(root, "#order").textContent = {
      pre: t("pre-norm"),
      post: t("post-norm"),
      parallel: t("both branches side by side"),
    }[/** @type {"pre" | "post" | "parallel"} */ (answer.order)];
  }
}

/** @param {any} answer */
function curvesOf(answer) {
  const points = (/** @type {number[]} */ list) =>
    list.map((value, index) => /** @type {[number, number]} */ ([index, value]));
  const last = answer.stream_norms.length - 1;
  return {
    title: t("Lengths along the whole model, at this token"),
    series: [
      { name: t("the stream, before each block"), points: points(answer.stream_norms) },
      { name: t("what attention adds"), points: points(answer.attention_norms) },
      { name: t("what feed-forward adds"), points: points(answer.feed_forward_norms) },
    ],
    x: { name: t("block"), least: 0, most: last, ticks: ticksTo(last) },
    y: { name: t("length"), least: 0 },
    verticals: [{ x: answer.layer, name: t("this block") }],
    height: 210,
  };
}

/** @param {number} last */
function ticksTo(last) {
  const every = Math.ceil((last + 1) / 14);
  return Array.from({ length: last + 1 }, (_, index) => index).filter((index) => index % every === 0);
}

/**
 * @param {Document} root
 * @param {{equation: string, difference: number, holds: boolean}[]} checks
 */
function drawChecks(root, checks) {
  const rows = checks.map(({ equation, difference, holds }) =>
    el(
      "tr",
      {},
      el("td", {}, el("code", {}, equation)),
      el("td", { class: "check-size" }, small(difference)),
      el("td", { class: holds ? "is-good" : "is-bad" }, holds ? t("✓ holds") : t("✗ does not hold")),
    ),
  );
  fill(need(root, "#checks"), ...rows);
  const largest = Math.max(...checks.map((check) => check.difference));
  const count = checks.filter((check) => check.holds).length;
  need(root, "#checks-verdict").textContent = t(
    "{count} of {total} equations hold; the largest difference is {largest}.",
    {
      count,
      total: checks.length,
      largest: small(largest),
    },
  );
}
