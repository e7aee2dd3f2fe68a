/** One linear layer: the output that is looked at, its formula and steps. */

import { t } from "../../base/i18n.js";
import { bracket, formula, inline, name, number, row, sub, sum } from "../../base/maths/mathml.js";
import { fixed, small } from "../../base/numbers.js";
import { between, listed, n, signed, whole } from "../../base/maths/formula_terms.js";

/** @typedef {import("./state.js").LinearData} LinearData */
/** @typedef {import("../frame/concept.js").Step} Step */
/** @typedef {import("../frame/concept.js").StepTable} StepTable */

/** More products than these are not written one by one. */
const MOST_TERMS = 4;

/** @param {string} letter @param {string | number} index */
const indexed = (letter, index) => sub(name(letter), typeof index === "number" ? number(String(index)) : name(index));

/** @param {boolean} hasBias */
function general(hasBias) {
  return formula(
    indexed("y", "o"),
    "=",
    sum(name("i")),
    indexed("x", "i"),
    sub(name("W"), row(name("o"), name("i"))),
    ...(hasBias ? ["+", indexed("b", "o")] : []),
  );
}

/**
 * @param {LinearData} data
 * @returns {import("../frame/concept.js").Scene}
 */
export function layerScene({ state, answer }) {
  const chosen = chosenOutput(state, answer);
  const { output, inputs, weights, products, total, biases } = chosen;
  const digits = [...inputs, ...weights].every(Number.isInteger) ? 0 : 2;
  const pairs = inputs.map((value, index) => row(signed(value, digits), "·", signed(weights[index], digits)));
  const written = pairs.length > MOST_TERMS ? [...pairs.slice(0, MOST_TERMS - 1), "…"] : pairs;
  const now = formula(
    indexed("y", output),
    "=",
    ...between(written, "+"),
    ...(biases ? ["+", signed(biases[output], 2)] : []),
    "=",
    n(chosen.byHand[output]),
  );
  const { bias: biasCount, total: count } = answer.parameters;
  const [outs, ins] = [answer.weight.length, answer.weight[0].length];
  /** @type {Step[]} */
  const steps = [
    {
      name: t("Multiply"),
      says: t("Each component of x times the matching one in row {row} of W.", { row: output }),
      line: inline(...listed(products.map((value) => n(value)))),
    },
    { name: t("Add"), says: t("The sum of all products."), line: inline(sum(name("i")), "=", n(total)) },
    {
      name: t("Bias"),
      says: biases ? t("This output's own bias is added.") : t("This layer has none: nothing is added."),
      line: inline(
        ...(biases ? [n(total), "+", signed(biases[output]), "="] : [indexed("y", output), "="]),
        n(chosen.byHand[output]),
      ),
    },
    {
      name: t("Compared with torch"),
      says: answer.matches
        ? t("torch.nn.Linear with the same numbers. Largest difference anywhere: {difference}.", {
            difference: small(answer.largest_difference),
          })
        : t("torch.nn.Linear differs by {difference}.", { difference: small(answer.largest_difference) }),
      line: inline(n(chosen.byHand[output]), ",", n(chosen.outputs[output])),
    },
    {
      name: t("Shape in, shape out"),
      says: t("Leading axes stay the same, the last becomes the layer's output size."),
      line: inline(shape(answer.input_shape), "→", shape(answer.output_shape)),
    },
    {
      name: t("Parameters"),
      says: t("The same whatever the number of input axes."),
      line: inline(number(String(ins)), "·", number(String(outs)), "+", number(String(biasCount)), "=", whole(count)),
    },
  ];
  return { formulas: [general(biases !== null), now], steps, table: tableOf(chosen, answer) };
}

/**
 * @param {ReturnType<typeof chosenOutput>} one
 * @param {import("./state.js").LinearAnswer} answer
 * @returns {StepTable}
 */
function tableOf({ byHand, outputs, biases, output }, { parameters }) {
  return {
    caption: t("All outputs for this vector"),
    columns: [
      { name: t("row of W"), step: 0 },
      { name: "Σ x·W", step: 2 },
      { name: "b", step: 3 },
      { name: t("y worked out"), step: 3 },
      { name: "torch.nn.Linear", step: 4 },
    ],
    rows: byHand.map((value, index) => {
      const own = biases?.[index] ?? 0;
      return [index, value - own, own, value, outputs[index]].map((cell, place) =>
        place === 0 ? String(cell) : fixed(cell, 4),
      );
    }),
    sums: [
      t("{count} weights", { count: parameters.weight }),
      "",
      t("{count} biases", { count: parameters.bias }),
      "",
      "",
    ],
    chosen: output,
  };
}

/**
 * The chosen vector and output, limited to the answer's range.
 * @param {LinearData["state"]} state
 * @param {import("./state.js").LinearAnswer} answer
 */
export function chosenOutput(state, answer) {
  const rows = {
    inputs: vectors(answer.inputs, answer.input_shape),
    byHand: vectors(answer.by_hand, answer.output_shape),
    outputs: vectors(answer.outputs, answer.output_shape),
  };
  const vectorAt = Math.min(state.vector, rows.inputs.length - 1);
  const output = Math.min(state.output, answer.weight.length - 1);
  const inputs = rows.inputs[vectorAt];
  const weights = answer.weight[output];
  const products = inputs.map((value, index) => value * weights[index]);
  return {
    vector: vectorAt,
    output,
    inputs,
    weights,
    products,
    all: rows,
    total: products.reduce((sumSoFar, value) => sumSoFar + value, 0),
    biases: answer.bias,
    byHand: rows.byHand[vectorAt],
    outputs: rows.outputs[vectorAt],
  };
}

/**
 * All vectors of an array of any number of axes, one below the other.
 * @param {unknown[]} array
 * @param {number[]} sizes
 */
function vectors(array, sizes) {
  return /** @type {number[][]} */ (sizes.length === 1 ? [array] : array.flat(sizes.length - 2));
}

/** @param {number[]} sizes */
function shape(sizes) {
  return bracket(...listed(sizes.map((size) => number(String(size)))));
}
