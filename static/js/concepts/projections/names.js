/** Words as names of the tokens, and features as names of the components. */

import { lowered } from "../../base/numbers.js";

/** @typedef {import("./state.js").ProjectionsState} ProjectionsState */

/**
 * A name for each token: its word, or x₀, x₁ … where none is given; those of a model's text are in the answer.
 * @param {Readonly<ProjectionsState>} state
 * @param {{tokens: string[] | null}} [answer]
 */
export function tokenNames({ words, inputs }, answer) {
  if (answer?.tokens) return answer.tokens;
  const typed = split(words);
  return inputs.map((_, index) => typed[index] ?? `x${lowered(index)}`);
}

/**
 * Names of an input's components.
 * @param {Readonly<ProjectionsState>} state
 * @returns {string[] | undefined}  undefined where none are given
 */
export function featureNames({ features, inputs }) {
  const typed = split(features);
  return typed.length ? inputs[0].map((_, index) => typed[index] ?? String(index)) : undefined;
}

/**
 * Names of a projection's components: a row of its matrix that takes one feature alone is named after it.
 * @param {Readonly<ProjectionsState>} state
 * @param {readonly (readonly number[])[]} weight
 * @returns {string[] | undefined}
 */
export function componentNames(state, weight) {
  const names = featureNames(state);
  return names && weight.map((row, index) => onlyFeature(row, names) ?? String(index));
}

/** @param {readonly number[]} row @param {string[]} names */
function onlyFeature(row, names) {
  const taken = row.flatMap((value, index) => (value ? [names[index]] : []));
  return taken.length === 1 ? taken[0] : null;
}

/** @param {string} text */
function split(text) {
  return text.split(/\s+/).filter(Boolean);
}
