/**
 * One token through a block of our own decoder computed in the page, for saved files: `attention_core/demos/block.py`,
 * whose float32 numbers it gives in float64. A test compares every number with the core's. A model's block is not
 * computed.
 */

import { canDraw, projected, randomDecoder } from "../frame/core/random_decoder.js";
import { FORMS } from "../frame/core/decoder_forms.js";
import { softmax } from "../frame/core/attention.js";
import { spreadOf } from "../frame/core/decoder_norms.js";
import { traced } from "../frame/core/decoder_trace.js";

/** @typedef {import("../../api/types.js").Body<"block">} Body */
/** @typedef {import("../frame/core/random_decoder.js").Sizes} Sizes */
/** @typedef {import("../frame/core/random_decoder.js").Decoder} Decoder */
/** @typedef {Record<string, number[]>} Stations  vectors by name, in the order of computation */

/** The stations that each is made of. @type {[string, "norm" | "project" | "add", string[]][]} */
const STEPS = [
  ["attention_normed", "norm", ["inputs"]],
  ["attention_output", "project", ["head_outputs"]],
  ["after_attention", "add", ["inputs", "attention_output"]],
  ["feed_forward_normed", "norm", ["after_attention"]],
  ["feed_forward_output", "project", ["feed_forward_hidden"]],
  ["outputs", "add", ["after_attention", "feed_forward_output"]],
];
/** Relative, of differences in float32. */
const BOUND = 1e-5;
const CANDIDATES = 5;
/** A wider decoder has millions of weights, which take seconds to draw. */
const WIDEST = 128;

/**
 * `POST /api/block`; null for a model, for wide decoders, for forms that the page does not offer (they normalise their
 * embeddings), and for a token or a block that there is not.
 * @param {Body} body
 */
export function blockNumbers({ model = null, text, layer = 0, token = 0, own = {} }) {
  const words = [...text.matchAll(/\S+/g)];
  const sizes = sizesOf(own ?? {}, words);
  const isThere = token < words.length && layer < sizes.layers;
  const isLeft = model !== null || !isThere || sizes.width > WIDEST || FORMS[sizes.form].isEmbeddingNormed;
  if (isLeft || !canDraw(sizes)) return null;
  const vocabulary = [...new Set(words.map(([word]) => word))];
  const ids = words.map(([word]) => vocabulary.indexOf(word));
  const decoder = randomDecoder(sizes);
  const trace = traced(decoder, ids);
  const here = trace.blocks[layer];
  const stations = stationsOf(here, token);
  const { norms, checks } = equations(decoder, layer, stations);
  const parts = {
    token_embedding: trace.tokenEmbeddings[token],
    ...(trace.positionEmbeddings && { position_embedding: trace.positionEmbeddings[token] }),
  };
  const embedded = check(
    "embeddings",
    Object.keys(parts).join(" + "),
    trace.embeddings[token],
    sumOf(Object.values(parts)),
  );
  return {
    model: null,
    order: "pre",
    layers: sizes.layers,
    layer,
    token,
    tokens: words.map(({ 0: word, index: start }, index) => ({
      index,
      id: ids[index],
      text: word,
      token: word,
      start,
      end: start + word.length,
      special: false,
      segment: 0,
    })),
    embedding: Object.entries({ ...parts, embeddings: trace.embeddings[token] }).map(([name, vector]) =>
      station(name, vector),
    ),
    stations: Object.entries(stations).map(([name, vector]) => station(name, vector)),
    norms,
    checks: [embedded, ...checks],
    weights: here.attention.weights.map((rows) => rows[token]),
    stream_norms: [trace.embeddings, ...trace.blocks.map((block) => block.outputs)].map((rows) =>
      Math.hypot(...rows[token]),
    ),
    attention_norms: trace.blocks.map((block) => Math.hypot(...block.attentionOutput[token])),
    feed_forward_norms: trace.blocks.map((block) => Math.hypot(...block.feedForwardOutput[token])),
    guesses: guesses(trace.logits[token], vocabulary),
  };
}

/** @param {NonNullable<Body["own"]>} own @param {RegExpExecArray[]} words @returns {Sizes} */
function sizesOf(own, words) {
  const { form = "modern", d_model: width = 16, num_layers: layers = 2, num_heads: heads = 4, seed = 0 } = own;
  return {
    form,
    width,
    layers,
    heads,
    seed,
    vocabulary: new Set(words.map(([word]) => word)).size,
    longest: words.length,
    kvHeads: own.num_kv_heads ?? heads,
    hidden: own.hidden_dim ?? 4 * width,
    qkNorm: FORMS[form].qkNorm,
    isNormedFirst: false,
    deviation: own.init_std ?? 0.2,
  };
}

/** @param {ReturnType<typeof traced>["blocks"][number]} block @param {number} token @returns {Stations} */
function stationsOf(block, token) {
  return {
    inputs: block.inputs[token],
    attention_normed: block.attentionNormed[token],
    head_outputs: block.attention.concatenated[token],
    attention_output: block.attentionOutput[token],
    after_attention: block.afterAttention[token],
    feed_forward_normed: block.feedForwardNormed[token],
    feed_forward_hidden: block.feedForwardHidden[token],
    feed_forward_output: block.feedForwardOutput[token],
    outputs: block.outputs[token],
  };
}

/** @param {string} name @param {number[]} vector */
function station(name, vector) {
  const [, step, sources] = STEPS.find(([made]) => made === name) ?? ["", null, []];
  const mean = vector.reduce((sum, value) => sum + value, 0) / vector.length;
  const variance = vector.reduce((sum, value) => sum + (value - mean) ** 2, 0) / vector.length;
  return {
    name,
    vector,
    made_by: step,
    made_of: sources,
    norm: Math.hypot(...vector),
    mean,
    standard_deviation: Math.sqrt(variance),
  };
}

/**
 * Every station from those before it, once more.
 * @param {Decoder} decoder
 * @param {number} layer
 * @param {Stations} stations
 */
function equations({ sizes: { form }, blocks }, layer, stations) {
  const { output, down } = blocks[layer];
  const matrices = [
    { name: "W_O", matrix: output },
    { name: "W_down", matrix: down },
  ];
  const norms = [];
  const checks = [];
  for (const [name, step, sources] of STEPS) {
    const inputs = sources.map((source) => stations[source]);
    if (step === "norm") {
      const numbers = normNumbers(form, name, sources[0], inputs[0]);
      norms.push(numbers);
      const root = Math.sqrt(numbers.spread + numbers.epsilon);
      checks.push(
        check(
          name,
          `norm(${sources[0]})`,
          stations[name],
          inputs[0].map((value) => (value - numbers.mean) / root),
        ),
      );
    } else if (step === "project") {
      const { name: matrix, matrix: weights } = /** @type {(typeof matrices)[number]} */ (matrices.shift());
      checks.push(check(name, `${sources[0]} · ${matrix}`, stations[name], projected(weights, inputs[0])));
    } else checks.push(check(name, sources.join(" + "), stations[name], sumOf(inputs)));
  }
  return { norms, checks };
}

/** Scales are 1 and shifts 0 before anything is learned. @param {Sizes["form"]} form @param {string} name @param {string} source @param {number[]} x */
function normNumbers(form, name, source, x) {
  const isOld = form === "gpt2";
  return {
    name,
    source,
    kind: isOld ? "layer" : "rms",
    ...spreadOf(form, x),
    scale: x.map(() => 1),
    shift: isOld ? x.map(() => 0) : null,
  };
}

/** @param {string} name @param {string} text @param {number[]} left @param {number[]} right */
function check(name, text, left, right) {
  const difference = Math.max(...left.map((value, index) => Math.abs(value - right[index])));
  const bound = BOUND * Math.max(1, ...left.map(Math.abs));
  return { name, equation: `${name} = ${text}`, difference, bound, holds: difference <= bound };
}

/** @param {number[][]} vectors */
function sumOf(vectors) {
  return vectors[0].map((_, index) => vectors.reduce((sum, vector) => sum + vector[index], 0));
}

/** The most probable next tokens. @param {number[]} logits @param {string[]} vocabulary */
function guesses(logits, vocabulary) {
  const chances = softmax(logits).map((probability, id) => ({ id, probability, text: vocabulary[id] }));
  return chances.sort((a, b) => b.probability - a.probability).slice(0, CANDIDATES);
}
