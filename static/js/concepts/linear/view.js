/** The linear layer: at work, at its beginning, its bias taken apart, and which known models have one. */

import { maths } from "../../base/maths/maths_text.js";
import { el, fill } from "../../base/dom.js";
import { matrixControl, pickCell, queriesByKeys, switchedView } from "../frame/views.js";
import { furtherAnswer } from "../frame/further_answer.js";
import { t } from "../../base/i18n.js";
import { BOUNDS, withMatrix } from "./state.js";
import { chosenOutput } from "./layer.js";
import { histogramPlot } from "../../charts/plots/histogram_plot.js";
import { matrixMark } from "../../charts/matrix.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("./state.js").LinearData} LinearData */
/** @typedef {import("../frame/concept.js").ConceptView<LinearData>} View */

/** @typedef {import("../frame/concept.js").Tools<import("./state.js").LinearState>} Tools */
/** @typedef {(element: HTMLElement, tools: Tools) => (data: LinearData) => void} Builder */
/** @typedef {import("../../api/types.js").AnswerTo<"linear/bias">} Parameters */

/**
 * @param {import("./state.js").Edited} name
 * @param {string} field  of the request
 */
export function matrixOf(name, field) {
  const title = () => ({ x: t("Input x"), w: t("Weights W"), b: t("Bias b") })[name];
  return matrixControl(
    {
      shown: (/** @type {Readonly<import("./state.js").LinearState>} */ state) => ({
        title: title(),
        values: state[name],
        symbol: name === "x" ? "x" : "",
      }),
      change: (state, values) => withMatrix(state, name, values),
    },
    { ...BOUNDS, ...(name === "b" ? { rows: 1, columns: BOUNDS.rows } : {}), field },
  );
}

/** @type {View} */
export const linearView = switchedView({ layer, start, bias, models });

/** @type {Builder} */
function layer(element, { set }) {
  const inputs = figure(t("Input x"));
  const weight = figure(t("Weights W"));
  const bias = figure(t("Bias b"));
  const byHand = figure(t("y worked out"));
  const outputs = figure(t("y of torch.nn.Linear"));
  const added = signed("+", bias.whole, 3);
  fill(
    element,
    el(
      "div",
      { class: "linear-equation" },
      inputs.whole,
      signed("·", weight.whole),
      added,
      signed("=", byHand.whole, 3),
      signed("", outputs.whole, 4),
    ),
  );
  const onOutput = (/** @type {{row: number, column: number}} */ { row, column }) =>
    set({ vector: row, output: column }, "switch");
  const marks = {
    inputs: mount(inputs.box, matrixMark, { isFitted: false, onPick: ({ row }) => set({ vector: row }, "switch") }),
    weight: mount(weight.box, matrixMark, { isFitted: false, onPick: ({ row }) => set({ output: row }, "switch") }),
    bias: mount(bias.box, matrixMark, { isFitted: false }),
    byHand: mount(byHand.box, matrixMark, { isFitted: false, onPick: onOutput }),
    outputs: mount(outputs.box, matrixMark, { isFitted: false, onPick: onOutput }),
  };
  return ({ state, answer }) => {
    const { vector, output, all: whole, biases } = chosenOutput(state, answer);
    const places = indices(answer.input_shape.slice(0, -1));
    const common = { scale: /** @type {const} */ ("signed"), most: most(whole.inputs, answer.weight, whole.byHand) };
    const chosen = { row: vector, column: output };
    inputs.say(answer.input_shape);
    weight.say([answer.weight.length, answer.weight[0].length]);
    bias.say([answer.weight.length]);
    byHand.say(answer.output_shape);
    outputs.say(answer.output_shape);
    added.hidden = biases === null;
    marks.inputs({
      ...common,
      title: t("Input x"),
      values: whole.inputs,
      rows: places,
      chosen: { row: vector, column: -1 },
    });
    marks.weight({ ...common, title: t("Weights W"), values: answer.weight, chosen: { row: output, column: -1 } });
    marks.bias(
      biases && { ...common, title: t("Bias b"), values: [biases], rows: [" "], chosen: { row: 0, column: output } },
    );
    marks.byHand({ ...common, title: t("y worked out"), values: whole.byHand, rows: places, chosen });
    marks.outputs({ ...common, title: t("y of torch.nn.Linear"), values: whole.outputs, rows: places, chosen });
  };
}

/** @type {Builder} */
function start(element) {
  const box = el("div", {});
  fill(element, box);
  const mark = mount(box, histogramPlot, {});
  return ({ others }) => {
    const layers = furtherAnswer(others, "layers")?.layers;
    if (!layers) return;
    const widest = Math.max(...layers.map((layer) => layer.bound));
    mark({
      title: t("Weights of freshly initialised layers"),
      series: layers.map((layer) => ({
        name: `in = ${layer.in_features}`,
        edges: layer.weights.edges,
        counts: layer.weights.counts,
      })),
      x: { name: t("weight"), least: -1.15 * widest, most: 1.15 * widest },
      verticals: layers.map((layer) => ({ x: layer.bound, name: `1/√${layer.in_features}` })),
      height: 320,
    });
  };
}

/** @type {Builder} */
function bias(element, tools) {
  const withBias = figure(t("Scores with bias"));
  const content = figure(t("Without bias"));
  const query = figure(t("Query's part"));
  const key = figure(t("Key's part"));
  const constant = figure(t("Constant"));
  fill(
    element,
    el("div", { class: "linear-equation" }, withBias.whole, signed("=", content.whole)),
    el(
      "div",
      { class: "linear-equation" },
      signed("+", query.whole),
      signed("+", key.whole),
      signed("+", constant.whole),
    ),
    el("p", { class: "note" }, biasNote()),
  );
  const marks = [withBias, content].map((place) =>
    mount(place.box, matrixMark, { isFitted: false, ...pickCell(tools) }),
  );
  const parts = [query, key, constant].map((place) => mount(place.box, matrixMark, { isFitted: false }));
  return ({ state, others }) => {
    const further = furtherAnswer(others, "parameters");
    if (!further) return;
    const drawn = biasMarks(state, further);
    marks.forEach((mark, index) => mark(drawn.scores[index]));
    parts.forEach((mark, index) => mark(drawn.parts[index]));
  };
}

/**
 * The scores with and without biases, and the parts that biases add to them.
 * @param {Pick<LinearData["state"], "sequence" | "query" | "key">} state
 * @param {Pick<Parameters, "with_bias" | "without_bias" | "query_offset" | "key_offset" | "constant">} further
 * @returns {Record<"scores" | "parts", import("../../charts/matrix.js").MatrixMark[]>}
 */
export function biasMarks({ sequence: text, query, key }, further) {
  const sequence = Number(text);
  const scores = [further.with_bias[sequence], further.without_bias[sequence]];
  const [ofQuery, ofKey, constant] = [further.query_offset[sequence], further.key_offset[sequence], further.constant];
  const names = scores[0].map((_, index) => String(index));
  const scale = /** @type {const} */ ("signed");
  const common = { ...queriesByKeys(), scale, most: most(...scores, ofQuery, ofKey, [[constant]]), digits: 3 };
  const part = { ...common, axes: "", hasMaths: true };
  return {
    scores: scores.map((values, index) => ({
      ...common,
      title: index ? t("Without bias") : t("Scores with bias"),
      values,
      rows: names,
      columns: names,
      chosen: { row: query, column: key },
    })),
    parts: [
      {
        ...part,
        title: t("Query's part"),
        values: ofQuery,
        rows: names,
        columns: ["q·b_k"],
        chosen: { row: query, column: 0 },
      },
      {
        ...part,
        title: t("Key's part"),
        values: ofKey,
        rows: ["b_q·k"],
        columns: names,
        chosen: { row: 0, column: key },
      },
      { ...part, title: t("Constant"), values: [[constant]], rows: [" "], columns: ["b_q·b_k"] },
    ],
  };
}

function biasNote() {
  return t(
    "The query's part is constant along a row, and so is the constant: softmax cancels both. The key's part stays: every query attends more to some keys. With RoPE nothing cancels: each part depends on the positions.",
  );
}

/** @type {Builder} */
function models(element) {
  const table = el("table", { class: "linear-models" });
  const label = t("Which known models give query, key and value a bias");
  fill(element, el("div", { class: "table-scroller", tabindex: 0, role: "region", "aria-label": label }, table));
  let built = false;
  return ({ others }) => {
    const further = furtherAnswer(others, "models");
    if (!further || built) return;
    built = true;
    const titles = [t("architecture"), "W_q", "W_k", "W_v", "W_o", t("one matrix"), t("looked up in")];
    const mark = (/** @type {boolean} */ has) => el("td", { class: has ? "has-bias" : "" }, has ? "✓" : "–");
    const rows = further.models.map((row) =>
      el(
        "tr",
        {},
        el("th", { scope: "row", translate: "no" }, row.architecture),
        ...[row.query, row.key, row.value, row.output].map(mark),
        el("td", {}, row.fused ? t("yes") : "–"),
        el("td", { class: "note", translate: "no" }, row.source.replace(/, default.*/, "")),
      ),
    );
    const head = el("tr", {}, ...titles.map((title) => el("th", { scope: "col" }, ...maths(title))));
    fill(table, el("caption", { class: "visually-hidden" }, label), el("thead", {}, head), el("tbody", {}, ...rows));
  };
}

/**
 * A titled place for a mark; `say` puts its shape beside the title.
 * @param {string} title
 */
function figure(title) {
  const box = el("div", { class: "linear-box" });
  const sizes = el("span", { class: "linear-shape" });
  const whole = el("section", { class: "linear-figure" }, el("h3", {}, title, " ", sizes), box);
  const say = (/** @type {number[]} */ shape) => (sizes.textContent = `(${shape.join(", ")})`);
  return { box, whole, say };
}

/**
 * A term of an equation after its sign; the two stay on one line.
 * @param {string} sign
 * @param {HTMLElement} part
 * @param {number} [step]  of the calculation, that makes it
 */
function signed(sign, part, step) {
  return el(
    "div",
    { class: "linear-part", "data-step": step },
    el("span", { class: "linear-sign", "aria-hidden": "true" }, sign),
    part,
  );
}

/**
 * Names of all vectors: `1,0` is the first of the second row.
 * @param {number[]} sizes
 * @returns {string[]}
 */
function indices(sizes) {
  if (sizes.length === 0) return ["x"];
  return sizes.reduce(
    (names, size) =>
      names.flatMap((prefix) =>
        Array.from({ length: size }, (_, index) => (prefix ? `${prefix},${index}` : String(index))),
      ),
    [""],
  );
}

/** The largest size of any number, so that all marks share one scale. @param {...number[][]} matrices */
function most(...matrices) {
  return Math.max(...matrices.flat(2).map(Math.abs), 1e-12);
}
