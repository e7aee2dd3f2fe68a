/**
 * The decoder's stages computed in the page, for saved files: `attention_core/demos/decoder.py`, whose float32 numbers it
 * gives in float64. A test compares every number with the core's.
 */

import { canDraw, gateInputs, randomDecoder } from "../frame/core/random_decoder.js";
import { FORMS, hasValueEmbedding } from "../frame/core/decoder_forms.js";
import { entropyOf, writtenRow } from "../frame/mask_matrix.js";
import { softmax } from "../frame/core/attention.js";
import { traced } from "../frame/core/decoder_trace.js";

/** @typedef {import("../../api/types.js").Body<"decoder">} Body */
/** @typedef {import("../frame/core/random_decoder.js").Sizes} Sizes */
/** @typedef {import("../frame/core/random_decoder.js").Decoder} Decoder */
/** @typedef {ReturnType<typeof traced>["blocks"][number]} BlockTrace */

const BYTES = 4;

/**
 * `POST /api/decoder`; null for ids in place of words, other formats and other parts than the form has.
 * @param {Body} body
 */
export function decoderNumbers(body) {
  const { tokens, generate: count = 3, precision = "float32" } = body;
  if (
    !tokens?.length ||
    body.ids ||
    body.vocab_size ||
    body.positions ||
    body.feed_forward ||
    precision !== "float32"
  ) {
    return null;
  }
  const vocabulary = [...new Set(tokens)];
  const ids = tokens.map((token) => vocabulary.indexOf(token));
  const sizes = sizesOf(body, vocabulary.length, ids.length + count);
  if (!canDraw(sizes)) return null;
  const decoder = randomDecoder(sizes);
  const trace = traced(decoder, ids);
  return {
    config: configOf(sizes),
    parameters: parametersOf(sizes),
    vocabulary,
    ids,
    token_embeddings: trace.tokenEmbeddings,
    position_embeddings: trace.positionEmbeddings,
    embeddings: trace.embeddings,
    blocks: trace.blocks.map(blockAnswer),
    final_normed: trace.finalNormed,
    logits: trace.logits,
    probabilities: trace.logits.map(softmax),
    generated: generated(decoder, ids, count),
    kv_cache_bytes_per_token: (sizes.layers * 2 * sizes.kvHeads * sizes.width * BYTES) / sizes.heads,
    cached_difference: 0, // here each row is summed in the same order, with a cache and without
    fused_difference: 0,
  };
}

/** @param {Body} body @param {number} vocabulary @param {number} longest @returns {Sizes} */
function sizesOf(body, vocabulary, longest) {
  const { form = "modern", d_model: width = 16, num_layers: layers = 2, num_heads: heads = 4, seed = 0 } = body;
  const { isSharing, qkNorm: ownNorm } = FORMS[form];
  const shared = isSharing && heads % 2 === 0 ? 2 : heads;
  return {
    form,
    vocabulary,
    width,
    layers,
    heads,
    longest,
    seed,
    kvHeads: body.num_kv_heads || shared,
    hidden: body.hidden_dim ?? 4 * width,
    qkNorm: body.qk_norm === "none" ? null : (body.qk_norm ?? ownNorm),
    isNormedFirst: body.qk_norm_before_rope ?? false,
    deviation: body.init_std ?? 0.2,
  };
}

/** @param {Sizes} sizes */
function configOf(sizes) {
  const own = FORMS[sizes.form];
  return {
    form: sizes.form,
    vocab_size: sizes.vocabulary,
    d_model: sizes.width,
    num_layers: sizes.layers,
    num_heads: sizes.heads,
    num_kv_heads: sizes.kvHeads,
    hidden_dim: sizes.hidden,
    positions: own.positions,
    norm: own.norm,
    feed_forward: own.feedForward,
    bias: own.hasBias,
    qk_norm: sizes.qkNorm,
    qk_norm_before_rope: sizes.isNormedFirst,
    qk_gain: own.qkGain,
    embedding_norm: own.isEmbeddingNormed,
    window_pattern: own.windows,
    logit_cap: own.logitCap,
    tied_embeddings: own.isTied,
  };
}

/** Learned numbers by part. @param {Sizes} sizes */
function parametersOf({ form, vocabulary, width, layers, heads, kvHeads, hidden, longest, qkNorm }) {
  const { positions, isNormLearned, isQkNormLearned, feedForward, hasBias, isTied } = FORMS[form];
  const kept = (kvHeads * width) / heads;
  const scales = isQkNormLearned && qkNorm !== null ? (qkNorm === "l2" ? 1 : 2) * (width / heads) : 0;
  const perNorm = isNormLearned ? width * (hasBias ? 2 : 1) : 0;
  const withValues = Array.from({ length: layers }, (_, layer) => hasValueEmbedding(form, layer, layers));
  const values = withValues.filter(Boolean).length * (vocabulary * kept + kvHeads * gateInputs(width));
  const wide = (feedForward === "swiglu" ? 3 : 2) * width * hidden + (hasBias ? hidden + width : 0);
  const counts = {
    embeddings: (vocabulary + (positions === "learned" ? longest : 0)) * width + values,
    norms: (2 * layers + 1) * perNorm + layers * scales,
    attention: layers * (2 * width * (width + kept) + (hasBias ? 2 * (width + kept) : 0)),
    feed_forward: layers * wide,
    output: isTied ? 0 : vocabulary * width,
  };
  return { ...counts, total: Object.values(counts).reduce((sum, value) => sum + value, 0) };
}

/** @param {BlockTrace} trace */
function blockAnswer(trace) {
  const { added, attention } = trace;
  return {
    inputs: trace.inputs,
    attention_normed: trace.attentionNormed,
    value_embedding: added && added.rows,
    value_gate: added && added.gate,
    window: trace.window,
    attention: {
      ...attention.tensors,
      queries: attention.queries,
      keys: attention.keys,
      values: attention.values,
      scaled_scores: attention.scaled,
      ...(trace.inputs.length > 1 && { mask: attention.mask }),
      masked_scores: attention.masked.map((rows) => rows.map(writtenRow)),
    },
    attention_steps: attention.shapes,
    entropy: attention.weights.map((rows) => rows.map(entropyOf)),
    attention_output: trace.attentionOutput,
    after_attention: trace.afterAttention,
    feed_forward_normed: trace.feedForwardNormed,
    feed_forward_hidden: trace.feedForwardHidden,
    feed_forward_output: trace.feedForwardOutput,
    outputs: trace.outputs,
  };
}

/** The most probable token, again and again. @param {Decoder} decoder @param {readonly number[]} ids @param {number} count */
function generated(decoder, ids, count) {
  const continued = [...ids];
  for (let step = 0; step < count; step++) {
    const last = /** @type {number[]} */ (traced(decoder, continued).logits.at(-1));
    continued.push(last.indexOf(Math.max(...last)));
  }
  return continued.slice(ids.length);
}
