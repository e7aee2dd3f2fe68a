/** The page of many heads as data: its fields and the calls that a state makes. */

import { choice, example, flag, startsOf, text, whole } from "../../base/fields.js";
import { t } from "../../base/i18n.js";
import { nonNull } from "../../base/non_null.js";
import { MINILM } from "../../wording/model_names.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} MultiHeadState */
/** @typedef {import("../../api/types.js").Call<"head_counts">} MultiHeadCall  besides */
/** @typedef {import("../frame/concept.js").Answered<"multi_head", MultiHeadState, MultiHeadCall[]>} MultiHeadData */

const HEADS = ["1", "2", "4", "8"];
const SIZES = ["16", "32", "64", "128", "512"];
/** Of a head's vectors; "": as the width and the number of heads have it. */
const HEAD_SIZES = ["", "4", "8", "16", "32", "64"];
const MOST_TOKENS = 16;
const LONGEST = 200;
/** Its heads of layer 0 ask “bank”, whose vector is the same in every sentence there, different things. */
const SENTENCE = "She sat on the bank of the river and fished.";
const BANK = 5;
const TO_RIVER = 4;
const MOST_HEADS = 12;
/** Of a vector that is shown whole. */
export const MOST_NUMBERS = 16;
/** Tokens of a sentence. */
const MOST_LOOKED_AT = 32;

export const fields = {
  view: choice(["model", "heads", "shapes", "counts"]),
  words: example(() => t("the cat sat on the mat"), LONGEST),
  dModel: choice(SIZES, "16"),
  heads: choice(HEADS, "4"),
  kvHeads: choice(HEADS, "4"),
  headDim: choice(HEAD_SIZES),
  valueDim: choice(HEAD_SIZES),
  causal: flag(),
  batch: whole(2, 1, 8),
  queries: whole(10, 1, MOST_TOKENS),
  keys: whole(10, 1, MOST_TOKENS),
  head: whole(TO_RIVER, 0, MOST_HEADS - 1),
  query: whole(BANK, 0, MOST_LOOKED_AT - 1),
  /** Of MiniLM, which has 6 layers of 12 heads. */
  sentence: text(SENTENCE, LONGEST),
  layer: whole(0, 0, 5),
  seed: whole(0, 0, 999),
  sharpness: whole(8, 0, 40),
};

/** @param {Readonly<MultiHeadState>} state */
export function request(state) {
  const { view, dModel, heads, headDim, valueDim, seed, causal, sentence, layer } = state;
  if (view === "model") return { layer_of: { model: MINILM, text: sentence, layer }, with_projections: false };
  const module = {
    d_model: Number(dModel),
    num_heads: Number(heads),
    num_kv_heads: Math.min(Number(heads), Number(state.kvHeads)),
    ...(headDim && { head_dim: Number(headDim) }),
    ...(valueDim && { value_dim: Number(valueDim) }),
    is_causal: causal,
    seed,
    with_projections: false,
  };
  if (view !== "shapes") return { ...module, tokens: tokensOf(state) };
  const keys = causal ? state.queries : state.keys;
  const cross = keys === state.queries ? {} : { key_len: keys };
  return { ...module, batch: state.batch, query_len: state.queries, ...cross };
}

/**
 * Every number of heads with every number of key/value heads that fits, with and without the causal mask, for the same
 * words at the smallest width; and every sharpness of the view that counts heads.
 * @param {Readonly<MultiHeadState>} state
 * @returns {Partial<MultiHeadState>[]}
 */
export function grid({ words }) {
  const pairs = HEADS.flatMap((heads) => HEADS.filter((one) => Number(one) <= Number(heads)).map((kv) => [heads, kv]));
  const all = pairs.flatMap(([heads, kvHeads]) =>
    [false, true].map((causal) => ({ ...startsOf(fields), words, view: "heads", heads, kvHeads, causal })),
  );
  const counts = Array.from({ length: 41 }, (_, sharpness) => ({
    ...startsOf(fields),
    words,
    view: "counts",
    sharpness,
  }));
  return /** @type {Partial<MultiHeadState>[]} */ ([...all, ...counts]);
}

/**
 * What the page shows of an answer. Of a long vector it shows the beginning.
 * @param {import("../../api/types.js").AnswerTo<"multi_head">} answer
 */
export function kept(answer) {
  const { x, queries, keys, values, raw_scores, scaled_scores, masked_scores, concatenated, ...shown } = answer;
  const begun = (/** @type {number[]} */ vector) => vector.slice(0, MOST_NUMBERS);
  const head_outputs = shown.head_outputs.map((rows) => rows.map(begun));
  return { ...shown, head_outputs, output: shown.output.map(begun) };
}

/** @param {Readonly<MultiHeadState>} state @returns {string[]} */
export function tokensOf({ words }) {
  const found = words.trim().split(/\s+/).filter(Boolean).slice(0, MOST_TOKENS);
  return found.length ? found : ["…"];
}

/** Names of the tokens: words, or those of a model's text. @param {MultiHeadData} data @returns {string[]} */
export function namesOf({ state, answer }) {
  return answer.tokens ?? tokensOf(state);
}

/**
 * The head and the query whose numbers are shown.
 * @param {MultiHeadData} data
 */
export function shownOf({ state, answer }) {
  return {
    head: Math.min(state.head, answer.weights.length - 1),
    query: Math.min(state.query, answer.output.length - 1),
  };
}

/** @type {import("../frame/concept.js").Choices<MultiHeadData>} */
export const choices = {
  query: (data) => namesOf(data).map((name, index) => [String(index), name]),
};

/** @param {Readonly<MultiHeadState>} state @returns {MultiHeadCall[]} */
export function also({ view, sharpness }) {
  return view === "counts" ? [{ stem: "head_counts", body: { head_counts: [1, 2], sharpness } }] : [];
}

/** Who asks and who answers, in the example that is counted on. @param {import("../../api/types.js").AnswerTo<"head_counts">} answer */
export function exampleOf({ asker, answerers }) {
  return { asker: nonNull(asker), answerers: nonNull(answerers) };
}
