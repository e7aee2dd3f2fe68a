/**
 * A forward pass through the randomly initialised decoder with every stage kept, for saved files: as in
 * `attention_core/decoder.py`. Weights are float32 numbers, all that follows is computed in float64, so the results differ
 * from the core's, in float32, as two orders of summing do. A test compares every number with the core's.
 */

import { attended, byHead, swapped } from "./decoder_attention.js";
import { FORMS, MOST, windowOf } from "./decoder_forms.js";
import { normed } from "./decoder_norms.js";
import { projected, rowOf } from "./random_decoder.js";

/** @typedef {number[][]} Rows */
/** @typedef {import("./random_decoder.js").Block} Block */
/** @typedef {import("./random_decoder.js").Decoder} Decoder */
/** @typedef {import("./decoder_forms.js").Form} Form */
/** @typedef {import("./random_decoder.js").Sizes} Sizes */
/** @typedef {import("./decoder_attention.js").ValueRows} ValueRows */

/** @param {readonly number[]} a @param {readonly number[]} b */
const plus = (a, b) => a.map((value, axis) => value + b[axis]);

/**
 * A forward pass with every stage.
 * @param {Decoder} decoder
 * @param {readonly number[]} ids
 */
export function traced(decoder, ids) {
  const { sizes, embedding, positions, output } = decoder;
  const { isEmbeddingNormed, logitCap } = FORMS[sizes.form];
  const tokenEmbeddings = ids.map((id) => rowOf(embedding, id));
  const places = positions && ids.map((_, position) => rowOf(positions, position));
  const summed = places ? tokenEmbeddings.map((row, position) => plus(row, places[position])) : tokenEmbeddings;
  const embeddings = isEmbeddingNormed ? summed.map((row) => normed(sizes.form, row)) : summed;
  const blocks = [];
  let x = embeddings;
  for (const [layer, block] of decoder.blocks.entries()) {
    const trace = blockTrace(sizes, block, x, ids, windowOf(sizes.form, layer, sizes.layers, sizes.longest));
    blocks.push(trace);
    x = trace.outputs;
  }
  const finalNormed = x.map((row) => normed(sizes.form, row));
  const raw = finalNormed.map((row) => projected(output, row));
  const logits = logitCap === null ? raw : raw.map((row) => row.map((value) => logitCap * Math.tanh(value / logitCap)));
  return { tokenEmbeddings, positionEmbeddings: places, embeddings, blocks, finalNormed, logits };
}

/**
 * @param {Sizes} sizes
 * @param {Block} block
 * @param {Rows} inputs
 * @param {readonly number[]} ids
 * @param {number | null} window
 */
function blockTrace(sizes, block, inputs, ids, window) {
  const attentionNormed = inputs.map((row) => normed(sizes.form, row));
  const added = block.values && valueRows(block.values, attentionNormed, ids, sizes.kvHeads);
  const attention = attended(sizes, block, attentionNormed, added, window);
  const attentionOutput = attention.output;
  const afterAttention = inputs.map((row, position) => plus(row, attentionOutput[position]));
  const feedForwardNormed = afterAttention.map((row) => normed(sizes.form, row));
  const feedForwardHidden = feedForwardNormed.map((row) => hiddenOf(sizes.form, block, row));
  const feedForwardOutput = feedForwardHidden.map((row) => projected(block.down, row));
  const outputs = afterAttention.map((row, position) => plus(row, feedForwardOutput[position]));
  return {
    inputs,
    attentionNormed,
    added,
    window,
    attention,
    attentionOutput,
    afterAttention,
    feedForwardNormed,
    feedForwardHidden,
    feedForwardOutput,
    outputs,
  };
}

/** @param {import("./random_decoder.js").ValueEmbedding} values @param {Rows} x @param {readonly number[]} ids @param {number} heads @returns {ValueRows} */
function valueRows({ table, opening }, x, ids, heads) {
  const rows = byHead(
    ids.map((id) => rowOf(table, id)),
    heads,
  );
  const gates = x.map((row) => projected(opening, row).map((value) => MOST / (1 + Math.exp(-value))));
  return { rows, gate: swapped(gates) };
}

/** @param {Form} form @param {Block} block @param {readonly number[]} x */
function hiddenOf(form, { gate, up }, x) {
  const wide = projected(up, x);
  if (FORMS[form].feedForward === "relu_squared") return wide.map((value) => Math.max(value, 0) ** 2);
  if (gate === null) return wide.map(gelu);
  return projected(gate, x).map((value, index) => (value / (1 + Math.exp(-value))) * wide[index]);
}

/** The approximation by tanh. @param {number} x */
function gelu(x) {
  return 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
}
