/** The page of many heads as data: its fields and the calls that a state makes. */

import { choice, flag, text, whole } from "../../base/fields.js";
import { nonNull } from "../../base/non_null.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} MultiHeadState */
/** @typedef {import("../../api/types.js").Call<"head_counts">} MultiHeadCall  besides */
/** @typedef {import("../frame/concept.js").Answered<"multi_head", MultiHeadState, MultiHeadCall[]>} MultiHeadData */

const HEADS = ["1", "2", "4", "8"];
const SIZES = ["16", "32", "64", "128", "512"];
const MOST_TOKENS = 16;
const LONGEST = 200;

export const fields = {
  view: choice(["heads", "shapes", "counts"]),
  words: text("the cat sat on the mat", LONGEST),
  dModel: choice(SIZES, "16"),
  heads: choice(HEADS, "4"),
  kvHeads: choice(HEADS, "4"),
  causal: flag(),
  batch: whole(2, 1, 8),
  queries: whole(10, 1, MOST_TOKENS),
  keys: whole(10, 1, MOST_TOKENS),
  head: whole(0, 0, 7),
  query: whole(1, 0, MOST_TOKENS - 1),
  seed: whole(0, 0, 999),
  sharpness: whole(8, 0, 40),
};

/** @param {Readonly<MultiHeadState>} state */
export function request(state) {
  const { view, dModel, heads, seed, causal } = state;
  const module = {
    d_model: Number(dModel),
    num_heads: Number(heads),
    num_kv_heads: Math.min(Number(heads), Number(state.kvHeads)),
    is_causal: causal,
    seed,
    with_projections: false,
  };
  if (view !== "shapes") return { ...module, tokens: tokensOf(state) };
  const keys = causal ? state.queries : state.keys;
  const cross = keys === state.queries ? {} : { key_len: keys };
  return { ...module, batch: state.batch, query_len: state.queries, ...cross };
}

/** @param {Readonly<MultiHeadState>} state @returns {string[]} */
export function tokensOf({ words }) {
  const found = words.trim().split(/\s+/).filter(Boolean).slice(0, MOST_TOKENS);
  return found.length ? found : ["…"];
}

/** @param {Readonly<MultiHeadState>} state @returns {MultiHeadCall[]} */
export function also({ view, sharpness }) {
  return view === "counts" ? [{ stem: "head_counts", body: { head_counts: [1, 2], sharpness } }] : [];
}

/** Who asks and who answers, in the example that is counted on. @param {import("../../api/types.js").AnswerTo<"head_counts">} answer */
export function exampleOf({ asker, answerers }) {
  return { asker: nonNull(asker), answerers: nonNull(answerers) };
}
