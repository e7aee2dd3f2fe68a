/** The decoder's formulas and steps, with the numbers of one query and one key. */

import { chosenIn, stationsOf } from "./state.js";
import { stationName } from "./names.js";
import { t } from "../../base/i18n.js";
import { bracket, formula, inline, name, number, over, root, row, size, sub } from "../../base/maths/mathml.js";
import { small } from "../../base/numbers.js";
import { between, listed, n, signed, whole } from "../../base/maths/formula_terms.js";

/** @typedef {import("./state.js").DecoderData} DecoderData */
/** @typedef {import("./state.js").Station} Station */

const q = () => name("q", "is-query");
const k = () => name("k", "is-key");
/** @param {readonly number[]} values */
const list = (values) =>
  bracket(...listed(values.slice(0, 4).map((value) => n(value, 3))), ...(values.length > 4 ? [",", "…"] : []));
/** @param {readonly number[]} vector */
const lengthOf = (vector) => Math.hypot(...vector);

/**
 * What is done to a query or a key before they meet: R turns, N norms, a factor sharpens.
 * @param {import("./state.js").DecoderAnswer["config"]} config
 * @param {Element} letter
 * @param {string} place
 */
function prepared(config, letter, place) {
  const R = (/** @type {Element} */ inside) =>
    config.positions === "rope" ? row(sub(name("R"), name(place)), inside) : inside;
  const N = (/** @type {Element} */ inside) => (config.qk_norm ? row(name("N"), bracket(inside)) : inside);
  const indexed = sub(letter, name(place));
  const ready = config.qk_norm_before_rope ? R(N(indexed)) : N(R(indexed));
  return config.qk_gain === 1 ? ready : row(number(String(config.qk_gain)), ready);
}

/** @param {DecoderData} data @returns {import("../frame/concept.js").Scene} */
export function calculation(data) {
  const { config } = data.answer;
  const norm = name(config.norm === "rms" ? "RMS" : "LN");
  const general = [
    formula(
      sub(name("s"), row(name("i"), name("j"))),
      "=",
      over(
        row(prepared(config, q(), "i"), "·", prepared(config, k(), "j")),
        config.qk_norm === "l2" ? row(number("1"), "/", root(name("d"))) : root(name("d")),
      ),
      ",",
      name("j"),
      "≤",
      name("i"),
    ),
    formula(name("y"), "=", name("x"), "+", sub(name("W"), name("O")), name("Attn"), bracket(norm, bracket(name("x")))),
  ];
  const steps = stationsOf(config, chosenIn(data.state, data.answer).block).map((station) => ({
    name: stationName(station, config),
    ...STEPS[station](data),
  }));
  return { formulas: general, steps, table: null };
}

/** @type {Record<Station, (data: DecoderData) => {says: string, line: Element}>} */
const STEPS = {
  norm({ state, answer }) {
    const { block, query } = chosenIn(state, answer);
    const [x, normed] = [block.inputs[query], block.attention_normed[query]];
    return {
      says: t("“{word}” enters as its vector, which is normalised before anything uses it.", {
        word: wordAt(answer, query),
      }),
      line: inline(size(name("x")), "=", n(lengthOf(x)), ",", size(name("n")), "=", n(lengthOf(normed))),
    };
  },
  project({ answer }) {
    const { d_model: width, num_heads: heads, num_kv_heads: kept, bias } = answer.config;
    const dim = width / heads;
    const parts = [width * width, width * kept * dim, width * kept * dim, width * width];
    const biases = bias ? width + 2 * kept * dim + width : 0;
    return {
      says: bias
        ? t("Weights of W_Q, W_K, W_V and, later, W_O, and {biases} biases.", { biases })
        : t("Weights of W_Q, W_K, W_V and, later, W_O; no bias."),
      line: inline(
        ...between(parts.map(whole), "+"),
        ...(bias ? ["+", whole(biases)] : []),
        "=",
        whole(parts.reduce((sum, value) => sum + value, biases)),
      ),
    };
  },
  heads({ state, answer }) {
    const { num_heads: heads, num_kv_heads: kept } = answer.config;
    const chosen = chosenIn(state, answer);
    return {
      says: t("Query heads: {heads}; key/value heads: {kept}. Query head {head} uses key/value head {own}.", {
        heads,
        kept,
        head: chosen.head,
        own: chosen.kept,
      }),
      line: inline("⌊", whole(chosen.head), "·", whole(kept), "/", whole(heads), "⌋", "=", whole(chosen.kept)),
    };
  },
  value_embedding({ state, answer }) {
    const { block, attention, kept, query } = chosenIn(state, answer);
    const [rows, gates] = [block.value_embedding, block.value_gate];
    const [row, gate] = rows && gates ? [rows[kept][query], gates[kept][query]] : [[0], 0];
    const [own, sum] = [attention.values_by_head[kept][query], attention.values_added[kept][query]];
    return {
      says: t(
        "A second table gives “{word}” a value that is the same in every context, for deep in the stream the token itself fades. The gate, between 0 and 3, is computed from the input. First component:",
        { word: wordAt(answer, query) },
      ),
      line: inline(n(own[0]), "+", n(gate), "·", n(row[0]), "=", n(sum[0])),
    };
  },
  rope({ state, answer }) {
    const { attention, head, query } = chosenIn(state, answer);
    const from = answer.config.qk_norm && answer.config.qk_norm_before_rope ? "normed" : "by_head";
    const [before, after] = [from, "turned"].map((stage) => attention[`queries_${stage}`][head][query]);
    return {
      says: t("The query at position {position} is rotated by its position; its length stays.", { position: query }),
      line: inline(
        sub(name("R"), whole(query)),
        q(),
        "=",
        list(after),
        ",",
        size(q()),
        "=",
        n(lengthOf(before)),
        "=",
        n(lengthOf(after)),
      ),
    };
  },
  qk_norm({ state, answer }) {
    const { attention, head, query } = chosenIn(state, answer);
    const after = attention.queries_normed[head][query];
    const isRms = answer.config.qk_norm === "rms";
    return {
      says: isRms
        ? t("Divided by the root mean square: the length becomes √d, whatever it was.")
        : t("Divided by its length, so the length becomes 1."),
      line: isRms
        ? inline(size(name("N"), bracket(q())), "=", n(lengthOf(after)), "=", root(whole(after.length)))
        : inline(size(name("N"), bracket(q())), "=", n(lengthOf(after))),
    };
  },
  sharpen({ state, answer }) {
    const { attention, head, query } = chosenIn(state, answer);
    const { qk_gain: gain, qk_norm: norm } = answer.config;
    const after = attention.queries_sharpened[head][query];
    return {
      says: norm
        ? t(
            "The norm has fixed all lengths, and with them the largest score. Longer by {gain}, queries and keys give scores {square} times as large, so that softmax can be sharper.",
            { gain, square: Number((gain * gain).toFixed(4)) },
          )
        : t("Longer by {gain}, queries and keys give scores {square} times as large: softmax becomes sharper.", {
            gain,
            square: Number((gain * gain).toFixed(4)),
          }),
      line: inline(number(String(gain)), "·", n(lengthOf(after) / gain), "=", n(lengthOf(after))),
    };
  },
  cache({ answer }) {
    const { num_layers: layers, num_kv_heads: kept, num_heads: heads, d_model: width } = answer.config;
    return {
      says: t("Stored for each token, in float32. Token by token the logits differ by {difference} at most.", {
        difference: small(answer.cached_difference),
      }),
      line: inline(
        number("2"),
        "·",
        whole(layers),
        "·",
        whole(kept),
        "·",
        whole(width / heads),
        "·",
        number("4"),
        "=",
        whole(answer.kv_cache_bytes_per_token),
        name(t("bytes")),
      ),
    };
  },
  share({ state, answer }) {
    const { head, kept } = chosenIn(state, answer);
    const { num_heads: heads, num_kv_heads: kvHeads } = answer.config;
    return {
      says: t("Query heads per key/value head: {count}. Query head {head} uses key/value head {own}.", {
        count: heads / kvHeads,
        head,
        own: kept,
      }),
      line: inline(whole(heads), "/", whole(kvHeads), "=", whole(heads / kvHeads)),
    };
  },
  window({ state, answer }) {
    const { block, query } = chosenIn(state, answer);
    const word = wordAt(answer, query);
    const seen = Math.min(query + 1, block.window ?? Infinity);
    return {
      says:
        block.window === null
          ? t("Every fourth block and the last see all: “{word}” and everything before it, {count} keys.", {
              word,
              count: seen,
            })
          : t(
              "Most of what the next token depends on is near, and a short window costs less: “{word}” sees itself and the keys just before it, {count} in all.",
              { word, count: seen },
            ),
      line:
        block.window === null
          ? inline(name("j"), "≤", name("i"))
          : inline(number("0"), "≤", name("i"), "−", name("j"), "<", whole(block.window)),
    };
  },
  scores({ state, answer }) {
    const { attention, head, query, key } = chosenIn(state, answer);
    const { raw_scores: raw, scaled_scores: scaled } = attention;
    return {
      says: t("“{query}” and “{key}”: the dot product, then scaled. Later keys get −∞.", {
        query: wordAt(answer, query),
        key: wordAt(answer, key),
      }),
      line: inline(q(), "·", k(), "=", n(raw[head][query][key]), ",", name("s"), "=", n(scaled[head][query][key])),
    };
  },
  weights({ state, answer }) {
    const { block, attention, head, query, key } = chosenIn(state, answer);
    return {
      says: t("The weight “{query}” gives to “{key}”, and the entropy of its row in nats.", {
        query: wordAt(answer, query),
        key: wordAt(answer, key),
      }),
      line: inline(
        name("α"),
        "=",
        n(attention.weights[head][query][key]),
        ",",
        name("H"),
        "=",
        n(block.entropy[head][query]),
      ),
    };
  },
  mix({ state, answer }) {
    const { attention, head, query } = chosenIn(state, answer);
    return {
      says: t("The weighted sum of the values in head {head}.", { head }),
      line: inline(name("o", "is-value"), "=", list(attention.head_outputs[head][query])),
    };
  },
  attention: (data) => ({
    says: t("W_O mixes all heads; the first component of the stream becomes:"),
    line: added(data, "inputs", "attention_output", "after_attention"),
  }),
  feed_forward: (data) => ({
    says: t("The feed-forward layer works on each token on its own, and adds to the same component:"),
    line: added(data, "after_attention", "feed_forward_output", "outputs"),
  }),
  next({ answer }) {
    const last = answer.probabilities[answer.probabilities.length - 1];
    const best = last.indexOf(Math.max(...last));
    return {
      says: t("After the last block: what may follow “{word}”. Random weights have learned nothing yet.", {
        word: wordAt(answer, answer.ids.length - 1),
      }),
      line: inline(name("P"), bracket(name(answer.vocabulary[best])), "=", n(last[best])),
    };
  },
};

/**
 * The first component of the stream, and what is added to it.
 * @param {DecoderData} data
 * @param {"inputs" | "after_attention"} from
 * @param {"attention_output" | "feed_forward_output"} what
 * @param {"after_attention" | "outputs"} to
 */
function added({ state, answer }, from, what, to) {
  const { block, query } = chosenIn(state, answer);
  return inline(n(block[from][query][0]), "+", signed(block[what][query][0]), "=", n(block[to][query][0]));
}

/** @param {import("./state.js").DecoderAnswer} answer @param {number} place */
function wordAt(answer, place) {
  return answer.vocabulary[answer.ids[place]];
}
