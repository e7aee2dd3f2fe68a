/** The softmax page as data: its fields and the call that a state makes. */

import { choice, number, numbers, whole } from "../../base/fields.js";

const MOST_SCORES = 16;
export const PRECISIONS = /** @type {const} */ (["float64", "float32", "bfloat16", "float16"]);

export const fields = {
  scores: numbers([2.1, 4.5, 1.8, 3.2], { least: -2000, most: 2000, count: MOST_SCORES }),
  temperature: number(1, 0.01, 100),
  precision: choice(PRECISIONS),
  shift: number(0, -1000, 1000),
  chosen: whole(1, 0, MOST_SCORES - 1),
};

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} SoftmaxState */
/** @typedef {import("../../api/types.js").AnswerTo<"softmax">} SoftmaxAnswer */

/**
 * The body of `POST /api/softmax`.
 * @param {Readonly<import("../../base/fields.js").ValuesOf<typeof fields>>} state
 */
export function request({ scores, temperature, precision, shift }) {
  return {
    scores,
    ...(precision === "float64" ? {} : { precision }),
    ...(temperature === 1 ? {} : { temperature }),
    ...(shift === 0 ? {} : { shift }),
  };
}

/** @param {Readonly<SoftmaxState>} state @param {SoftmaxAnswer} answer */
export function within({ chosen }, { scores }) {
  return { chosen: Math.min(chosen, scores.length - 1) };
}
