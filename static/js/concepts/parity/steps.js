/** From one weight on both sides to the largest difference of the whole model. */

import { partOf } from "./state.js";
import { t } from "../../base/i18n.js";
import { bracket, formula, inline, name, number, row, size, sub } from "../../base/maths/mathml.js";
import { fixed, small } from "../../base/numbers.js";

const DIGITS = 9;

/** @param {number} value */
const long = (value) => number(fixed(value, DIGITS));
/** @param {number} value */
export const tidy = (value) => (value === 0 ? "0" : small(value));
/** @param {string} side */
const alpha = (side) => sub(name("α"), name(side));

/** @param {import("./state.js").ParityAnswer} answer */
export function largest(answer) {
  return Math.max(...answer.parts.flatMap((part) => part.weights.flat()));
}

/** @param {import("./state.js").ParityAnswer} answer @returns {number}  of the last hidden state */
function lastState(answer) {
  return Math.max(...Object.values(answer.hidden_states).map((states) => states[states.length - 1]));
}

/** @param {import("./state.js").ParityAnswer} answer */
function formulas(answer) {
  return [
    formula(
      name("max"),
      size(row(alpha(t("ours")), "−", alpha(t("library")))),
      "=",
      number(tidy(largest(answer))),
      largest(answer) <= answer.bound ? "≤" : ">",
      number(tidy(answer.bound)),
    ),
  ];
}

/**
 * @param {import("./state.js").ParityData} data
 * @returns {import("../frame/concept.js").Scene}
 */
export function calculation(data) {
  return { formulas: formulas(data.answer), steps: stepsOf(data), table: layerTable(data.answer) };
}

/**
 * @param {import("./state.js").ParityData} data
 * @returns {import("../frame/concept.js").Step[]}
 */
function stepsOf({ state: { layer, head, query, key }, answer, queries, keys }) {
  const [reader, read] = [queries[query], keys[key]];
  const [ours, theirs] = [answer.ours[query][key], answer.theirs[query][key]];
  const part = partOf(answer);
  const own = answer.own_decoder;
  const steps = [
    {
      name: t("Ours"),
      says: t(
        "Our attention, run inside the model: the weight from “{reader}” to “{read}” in layer {layer}, head {head}.",
        {
          reader,
          read,
          layer,
          head,
        },
      ),
      line: inline(alpha(t("ours")), "=", long(ours)),
    },
    {
      name: t("The library's"),
      says: t("The same model with transformers' own eager attention."),
      line: inline(alpha(t("library")), "=", long(theirs)),
    },
    {
      name: t("Difference"),
      says: t(
        "Both are float32, whose steps between ½ and 1 are 6 × 10⁻⁸. Sums taken in another order end up a few steps apart.",
      ),
      line: inline(long(ours), "−", bracket(long(theirs)), "=", number(tidy(ours - theirs))),
    },
    {
      name: t("This head"),
      says: t("The largest difference over all queries and keys of this head."),
      line: inline(name("max"), "=", number(tidy(part.weights[layer][head]))),
    },
    {
      name: t("All heads"),
      says: t("And over every head of every layer."),
      line: inline(
        name("max"),
        "=",
        number(tidy(largest(answer))),
        largest(answer) <= answer.bound ? "≤" : ">",
        number(tidy(answer.bound)),
      ),
    },
    {
      name: t("Hidden state"),
      says: t(
        "Each layer passes its rounding on to the next. At the end of the model, over all tokens and components:",
      ),
      line: inline(name("max"), "=", number(tidy(lastState(answer)))),
    },
  ];
  return own ? [...steps, decoderStep(own)] : steps;
}

/** @param {NonNullable<import("./state.js").ParityAnswer["own_decoder"]>} own */
function decoderStep(own) {
  return {
    name: t("Our decoder"),
    says: t("The model's weights in our own decoder, without any library code: the logits differ by"),
    line: inline(
      name("max"),
      "=",
      number(tidy(own.logits)),
      ",",
      name(t("largest logit")),
      "=",
      number(fixed(own.largest_logit, 2)),
    ),
  };
}

/**
 * Largest difference of each layer: of its heads, and of the hidden state behind it.
 * @param {import("./state.js").ParityAnswer} answer
 * @returns {import("../frame/concept.js").StepTable}
 */
function layerTable(answer) {
  const part = partOf(answer);
  /** @type {number[]} */
  const states = answer.hidden_states[answer.part] ?? [];
  return {
    caption: t("Largest differences, layer by layer"),
    columns: [
      { name: t("layer"), step: 0 },
      { name: t("of any weight"), step: 5 },
      { name: t("head"), step: 5 },
      { name: t("of the hidden state after it"), step: 6 },
    ],
    rows: part.weights.map((heads, layer) => [
      String(layer),
      tidy(Math.max(...heads)),
      String(heads.indexOf(Math.max(...heads))),
      layer + 1 in states ? tidy(states[layer + 1]) : "",
    ]),
    sums: [
      t("largest"),
      tidy(Math.max(...part.weights.flat())),
      "",
      states.length > 0 ? tidy(Math.max(...states)) : "",
    ],
    chosen: answer.layer,
  };
}
