/** The page of sinusoidal positions as data: its fields, the call that a state makes, and its presets. */

import { choice, number, text, whole } from "../../base/fields.js";
import { t } from "../../base/i18n.js";
import { MINILM } from "../../page/model_choice.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} SinusoidalState */
/** @typedef {import("../../api/types.js").AnswerTo<"sinusoidal">} SinusoidalAnswer */
/** @typedef {import("../frame/concept.js").Answered<"sinusoidal", SinusoidalState>} SinusoidalData */

const MOST = 128;
/** A step's matrix is written out, so it has few dimensions. */
const STEP_DIM = 8;

export const fields = {
  view: choice(["map", "similarity", "step", "learned"]),
  dim: choice(["4", "8", "16", "32", "64", "128"], "64"),
  length: whole(64, 8, MOST),
  base: number(10_000, 10, 1_000_000),
  layout: choice(["interleaved", "half_split"]),
  position: whole(20, 0, MOST - 1),
  other: whole(26, 0, MOST - 1),
  pair: whole(4, 0, MOST / 2 - 1),
  by: whole(3, -16, 16),
  model: text(MINILM, 200),
};

/** @param {Readonly<SinusoidalState>} state */
export function request({ view, dim, length, base, layout, position, by, model }) {
  if (view === "step") return { dim: STEP_DIM, positions: [position], base, layout, step: by };
  const shared = { dim: Number(dim), seq_len: length, base };
  return view === "learned" ? { ...shared, model } : { ...shared, layout: view === "map" ? layout : "interleaved" };
}

/**
 * The state limited to the answer's range.
 * @param {Readonly<SinusoidalState>} state
 * @param {Pick<SinusoidalAnswer, "positions" | "frequencies">} answer
 */
export function chosenIn({ position, other, pair }, answer) {
  const last = answer.positions.length - 1;
  return {
    position: Math.min(position, last),
    other: Math.min(other, last),
    pair: Math.min(pair, answer.frequencies.length - 1),
  };
}

/**
 * The indices of the sine and the cosine of a pair in a vector.
 * @param {{layout: string}} state
 * @param {number} pair
 * @param {number} pairs
 * @returns {[number, number]}
 */
export function columnsOf({ layout }, pair, pairs) {
  return layout === "interleaved" ? [2 * pair, 2 * pair + 1] : [pair, pair + pairs];
}

/**
 * The pair that a dimension belongs to.
 * @param {{layout: string}} state
 * @param {number} column
 * @param {number} pairs
 */
export function pairOf({ layout }, column, pairs) {
  return layout === "interleaved" ? Math.floor(column / 2) : column % pairs;
}

/** @returns {import("../frame/concept.js").Preset<SinusoidalState>[]} */
export function presets() {
  return [
    {
      name: t("The vectors"),
      notice: t("Fast waves on the left, slow ones on the right: within 64 positions the last hardly move."),
      state: {},
    },
    {
      name: t("Sines first, then cosines"),
      notice: t(
        "The same numbers in another order, as in some libraries: weights trained with one layout do not fit the other.",
      ),
      state: { layout: "half_split" },
    },
    {
      name: t("Which positions are alike"),
      notice: t("Every diagonal has one colour: similarity depends only on the distance, not on the position."),
      state: { view: "similarity" },
    },
    {
      name: t("A base that is too small"),
      notice: t("With base 10 all waves are short: far positions look alike again and can be confused."),
      state: { view: "similarity", base: 10, dim: "8", position: 10, other: 54 },
    },
    {
      name: t("A step is a rotation"),
      notice: t("One matrix leads from every position to the one k steps further: each pair rotates by kω."),
      state: { view: "step", position: 5, pair: 0 },
    },
    {
      name: t("What a model has learned"),
      notice: t(
        "Nobody told MiniLM that 20 and 21 are neighbours: its table learned it from texts. Position 0 is separate.",
      ),
      state: { view: "learned", other: 21 },
    },
  ];
}
