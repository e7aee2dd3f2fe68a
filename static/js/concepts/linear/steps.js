/** The formulas and steps of the linear layer: at work, at its beginning, with and without a bias. */

import { furtherAnswer } from "../frame/further_answer.js";
import { nonNull } from "../../base/non_null.js";
import { t } from "../../base/i18n.js";
import { layerScene } from "./layer.js";
import { bracket, formula, inline, name, number, over, root, row, sub, sup, vector } from "../../base/maths/mathml.js";
import { exact, fixed, grouped, small } from "../../base/numbers.js";
import { between, n, signed, whole } from "../../base/maths/formula_terms.js";

/** @typedef {import("./state.js").LinearData} LinearData */
/** @import { AnswerTo } from "../../api/types.js" */

/** @typedef {AnswerTo<"linear/models">["models"][number]} Architecture */
/** @typedef {import("../frame/concept.js").Step} Step */
/** @typedef {import("../frame/concept.js").StepTable} StepTable */
/** @typedef {import("../../base/maths/mathml.js").Part} Part */

/**
 * @param {LinearData} data
 * @returns {import("../frame/concept.js").Scene}
 */
export function calculation(data) {
  return SCENES[data.state.view](data);
}

/** @type {Record<string, (data: LinearData) => import("../frame/concept.js").Scene>} */
const SCENES = { layer: layerScene, start, bias, models };

/**
 * @param {LinearData} data
 * @returns {import("../frame/concept.js").Scene}
 */
function start({ others }) {
  const further = nonNull(furtherAnswer(others, "layers"));
  const bound = () => over(number("1"), root(name("in")));
  const last = further.layers[further.layers.length - 1];
  const [edge, deviation] = [last.bound, last.expected_standard_deviation];
  const drawn = () => [sub(name("W"), row(name("o"), name("i"))), "∼", name("U")];
  const fan = () => sub(name("fan"), name("in"));
  const kaiming = row(bracket(number("1"), "+", sup(name("a"), number("2"))), "·", fan());
  const formulas = [
    formula(
      ...[name("bound"), "=", root(over(number("6"), kaiming)), "=", over(number("1"), root(fan())), "("],
      ...[name("a"), "=", root(number("5")), ")"],
    ),
    formula(...drawn(), bracket("−", bound(), ",", bound()), "=", name("U"), bracket("−", n(edge), ",", n(edge))),
    formula(name("σ"), "=", over(number("1"), root(row(number("3"), "·", name("in")))), "=", n(deviation)),
  ];
  const ofWeights = further.layers.map((layer) => ({
    name: `in = ${layer.in_features}`,
    says: t("{count} random weights: standard deviation {measured}, expected {expected}.", {
      count: grouped(layer.weights.count),
      measured: fixed(layer.weights.standard_deviation, 4),
      expected: fixed(layer.expected_standard_deviation, 4),
    }),
    line: inline(
      over(number("1"), root(number(String(layer.in_features)))),
      "=",
      n(layer.bound),
      ",",
      over(n(layer.bound), root(number("3"))),
      "=",
      n(layer.expected_standard_deviation),
    ),
  }));
  const { biases } = last;
  const ofBiases = {
    name: t("Biases"),
    says: t("Drawn from the same range: {count} biases lie between {least} and {most}, for in = {size}.", {
      count: grouped(biases.count),
      size: last.in_features,
      least: fixed(biases.minimum, 4),
      most: fixed(biases.maximum, 4),
    }),
    line: inline(sub(name("b"), name("o")), "∼", name("U"), bracket("−", bound(), ",", bound())),
  };
  const steps = [...ofWeights, ofBiases];
  return { formulas, steps, table: startTable(further.layers) };
}

/**
 * @param {LinearData} data
 * @returns {import("../frame/concept.js").Scene}
 */
function bias({ state, others }) {
  const further = nonNull(furtherAnswer(others, "parameters"));
  const query = () => sub(vector("q", "is-query"), name("i"));
  const key = () => sub(vector("k", "is-key"), name("j"));
  const own = (/** @type {string} */ letter) => sub(vector("b"), name(letter));
  const wq = () => sub(name("W"), name("q"));
  const { parameters } = further;
  const place = { sequence: Number(state.sequence), query: state.query, key: state.key };
  const cell = (/** @type {number[][][]} */ matrix) => matrix[place.sequence][place.query][place.key];
  /** @type {[number, number, number, number]} */
  const parts = [
    cell(further.without_bias),
    further.query_offset[place.sequence][place.query][0],
    further.key_offset[place.sequence][0][place.key],
    further.constant,
  ];
  const added = () => between([n(parts[0]), ...parts.slice(1).map((value) => signed(value))], "+");
  const score = cell(further.with_bias);
  const products = [
    row(query(), "·", key()),
    row(query(), "·", own("k")),
    row(own("q"), "·", key()),
    row(own("q"), "·", own("k")),
  ];
  const formulas = [
    formula(bracket(query(), "+", own("q")), "·", bracket(key(), "+", own("k")), "=", ...between(products, "+")),
    formula(n(score), "=", ...added()),
  ];
  const steps = [
    countStep(state, parameters),
    {
      name: t("In a large model"),
      says: t("Layers × projections × sizes: the biases only."),
      line: inline(...product(state.layers, state.projections, state.width), "=", whole(parameters.large_biases)),
    },
    {
      name: t("One score, decomposed"),
      says: t("Query {query} and key {key}: content, the query's part, the key's part, and a constant.", place),
      line: inline(...added(), "=", n(score)),
    },
    {
      name: t("After softmax"),
      says: t("Largest change of a weight: without the key's bias, and without both."),
      line: inline(
        number(small(further.weights_change_without_key_bias)),
        ",",
        number(exact(further.weights_change_without_biases)),
      ),
    },
    ...underRope(further.weights_change_without_key_bias_under_rope),
    {
      name: t("After LayerNorm"),
      says: t("In most models LayerNorm comes before W_q. Its learned shift β becomes a bias by itself."),
      line: inline(...[wq(), bracket(vector("x"), "+", vector("β")), "=", wq(), vector("x"), "+", wq(), vector("β")]),
    },
  ];
  return { formulas, steps, table: null };
}

/** @param {AnswerTo<"linear/initialisation">["layers"]} layers @returns {StepTable} */
function startTable(layers) {
  return {
    caption: t("Expected and measured"),
    columns: [
      { name: "in", step: 0 },
      { name: t("bound 1/√in"), step: 0 },
      { name: t("smallest"), step: 0 },
      { name: t("largest"), step: 0 },
      { name: t("expected deviation"), step: 0 },
      { name: t("measured"), step: 0 },
    ],
    rows: layers.map((layer) => [
      String(layer.in_features),
      ...[
        layer.bound,
        layer.weights.minimum,
        layer.weights.maximum,
        layer.expected_standard_deviation,
        layer.weights.standard_deviation,
      ].map((value) => fixed(value, 4)),
    ]),
    sums: ["", "", "", "", "", ""],
    chosen: -1,
  };
}

/** @param {LinearData["state"]} state @param {AnswerTo<"linear/bias">["parameters"]} parameters @returns {Step} */
function countStep({ dModel, dK }, parameters) {
  return {
    name: t("Count"),
    says: t("W_q and W_k with bias, and without: {percent} % less.", { percent: fixed(parameters.saved_percent, 1) }),
    line: inline(
      number("2"),
      bracket(...product(dModel, dK), "+", number(String(dK))),
      "=",
      whole(parameters.with_bias),
      ",",
      number("2"),
      "·",
      ...product(dModel, dK),
      "=",
      whole(parameters.without_bias),
    ),
  };
}

/** @param {number | null} change  of a weight; null for an odd d_k, which RoPE cannot rotate */
function underRope(change) {
  if (change === null) return [];
  const says = t(
    "RoPE rotates the key's bias with the key, so that it counts by the key's position. Largest change of a weight without it:",
  );
  return [{ name: t("After softmax, with RoPE"), says, line: inline(number(exact(change))) }];
}

/**
 * @param {LinearData} data
 * @returns {import("../frame/concept.js").Scene}
 */
function models({ others }) {
  const { models: rows } = nonNull(furtherAnswer(others, "models"));
  const formulas = [
    formula(
      sub(vector("q", "is-query"), name("i")),
      "=",
      sub(name("W"), name("q")),
      sub(vector("x"), name("i")),
      "(",
      "+",
      sub(vector("b"), name("q")),
      ")",
    ),
  ];
  const of = (/** @type {(row: Architecture) => boolean} */ wanted) =>
    rows.filter(wanted).map((row) => row.architecture);
  const hasAll = (/** @type {Architecture} */ row) => row.query && row.key && row.value;
  const none = (/** @type {Architecture} */ row) => !row.query && !row.key && !row.value;
  const group = (/** @type {string} */ title, /** @type {string} */ says, /** @type {string[]} */ names) => ({
    name: title,
    says,
    line: text(names.join(", ") || "–"),
  });
  return {
    formulas,
    steps: [
      group(t("All three"), t("Queries, keys and values have a bias."), of(hasAll)),
      group(t("None"), t("No bias in any of the three."), of(none)),
      group(
        t("Some"),
        t("Only some: without RoPE a key's bias would cancel in softmax."),
        of((row) => !hasAll(row) && !none(row)),
      ),
    ],
    table: null,
  };
}

/** @param {...number} factors @returns {Part[]} */
function product(...factors) {
  return between(factors.map(whole), "·");
}

/** @param {string} said */
function text(said) {
  const line = document.createElement("span");
  line.textContent = said;
  return line;
}
