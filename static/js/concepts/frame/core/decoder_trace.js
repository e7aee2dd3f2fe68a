/**
 * A forward pass through the randomly initialised decoder with every stage kept, for saved files: as in
 * `attention_core/decoder.py`. Weights are float32 numbers, all that follows is computed in float64, so the results differ
 * from the core's, in float32, as two orders of summing do. A test compares every number with the core's.
 */

import { FORMS, MOST, windowOf } from "./decoder_forms.js";
import { anglesOf, frequenciesOf, ROTATIONS } from "./rotation.js";
import { projected, rowOf } from "./random_decoder.js";
import { softmax } from "./attention.js";

/** @typedef {number[][]} Rows */
/** @typedef {import("./random_decoder.js").Block} Block */
/** @typedef {import("./random_decoder.js").Decoder} Decoder */
/** @typedef {import("./decoder_forms.js").Form} Form */
/** @typedef {import("./random_decoder.js").Linear} Linear */
/** @typedef {import("./random_decoder.js").Sizes} Sizes */
/** @typedef {{rows: Rows[], gate: Rows}} ValueRows  of each key/value head and token: what is added, and how much of it */
/** @typedef {{name: string, operation: string, axes: string[], shape: number[]}} ShapeStep */

const RMS_EPSILON = 1e-6;
const LAYER_EPSILON = 1e-5;
const L2_EPSILON = 1e-12;

/**
 * The mean that a norm takes off, the mean square of what is left, and its ε.
 * @param {Form} form
 * @param {readonly number[]} x
 */
export function spreadOf(form, x) {
  const isCentred = FORMS[form].norm === "layer";
  const mean = isCentred ? x.reduce((sum, value) => sum + value, 0) / x.length : 0;
  const spread = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
  return { mean, spread, epsilon: isCentred ? LAYER_EPSILON : RMS_EPSILON };
}

/** @param {Form} form @param {readonly number[]} x */
function normed(form, x) {
  const { mean, spread, epsilon } = spreadOf(form, x);
  return x.map((value) => (value - mean) / Math.sqrt(spread + epsilon));
}

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

/** Each head's rows. @param {Rows} rows @param {number} heads @returns {Rows[]} */
function byHead(rows, heads) {
  const size = rows[0].length / heads;
  return Array.from({ length: heads }, (_, head) => rows.map((row) => row.slice(head * size, (head + 1) * size)));
}

/** Rows and heads change places. @template T @param {T[][]} stacked @returns {T[][]} */
function swapped(stacked) {
  return stacked[0].map((_, row) => stacked.map((rows) => rows[row]));
}

const AXES = {
  queries: "batch head query head_dim",
  keys: "batch kv_head key head_dim",
  values: "batch kv_head key value_dim",
};

/**
 * Causal attention with every tensor and its shape, in the order of `attention_core/multi_head.py`.
 * @param {Sizes} sizes
 * @param {Block} block
 * @param {Rows} x
 * @param {ValueRows | null} added  to the values
 * @param {number | null} window
 */
function attended(sizes, block, x, added, window) {
  const { heads, kvHeads, width, qkNorm, isNormedFirst, form } = sizes;
  const { positions, base, qkGain } = FORMS[form];
  const size = width / heads;
  /** @type {ShapeStep[]} */
  const shapes = [];
  /** @type {Record<string, Rows | Rows[]>} */
  const tensors = {};

  /**
   * @template {Rows | Rows[]} T
   * @param {string} name
   * @param {string} operation
   * @param {string} axes
   * @param {T} tensor
   * @returns {T}
   */
  function note(name, operation, axes, tensor) {
    shapes.push({ name, operation, axes: axes.split(" "), shape: [1, ...shapeOf(tensor)] });
    tensors[name] = tensor;
    return tensor;
  }

  /** @param {"queries" | "keys" | "values"} name @param {Linear} linear @param {number} count */
  function split(name, linear, count) {
    const [, head, tokens, dim] = AXES[name].split(" ");
    const wide = note(
      `${name}_projected`,
      "W x + b",
      `batch ${tokens} ${head}·${dim}`,
      x.map((row) => projected(linear, row)),
    );
    const cut = byHead(wide, count);
    note(`${name}_split`, "view", `batch ${tokens} ${head} ${dim}`, swapped(cut));
    return note(`${name}_by_head`, "transpose(1, 2)", AXES[name], cut);
  }

  /** @param {"queries" | "keys"} name @param {Rows[]} vectors */
  function turned(name, vectors) {
    if (positions === "learned") return vectors;
    const angles = anglesOf(
      x.map((_, position) => position),
      frequenciesOf(size, base),
    );
    const rotated = vectors.map((rows) => rows.map((row, position) => ROTATIONS.half_split(row, angles[position])));
    return note(`${name}_turned`, "RoPE", AXES[name], rotated);
  }

  /** @param {"queries" | "keys"} name @param {Rows[]} vectors */
  function evened(name, vectors) {
    if (qkNorm === null) return vectors;
    return note(
      `${name}_normed`,
      "QK-norm",
      AXES[name],
      vectors.map((rows) => rows.map(ofEqualLength)),
    );
  }

  /** @param {readonly number[]} vector */
  function ofEqualLength(vector) {
    const length =
      qkNorm === "l2"
        ? Math.max(Math.hypot(...vector), L2_EPSILON)
        : Math.sqrt(spreadOf("llama", vector).spread + RMS_EPSILON);
    return vector.map((value) => value / length);
  }

  /** @param {"queries" | "keys"} name @param {Rows[]} vectors */
  function placed(name, vectors) {
    const ready = isNormedFirst ? turned(name, evened(name, vectors)) : evened(name, turned(name, vectors));
    if (qkGain === 1) return ready;
    const sharpened = ready.map((rows) => rows.map((row) => row.map((value) => qkGain * value)));
    return note(`${name}_sharpened`, `× ${qkGain}`, AXES[name], sharpened);
  }

  /** @param {Rows[]} values */
  function withAdded(values) {
    if (added === null) return values;
    const { rows, gate } = added;
    const sums = values.map((own, head) =>
      own.map((row, position) => row.map((value, axis) => value + gate[head][position] * rows[head][position][axis])),
    );
    return note("values_added", "+ added_values", AXES.values, sums);
  }

  note("input", "x", "batch query d_model", x);
  const queries = placed("queries", split("queries", block.query, heads));
  const ownKeys = split("keys", block.key, kvHeads);
  const ownValues = withAdded(split("values", block.value, kvHeads));
  const group = heads / kvHeads;
  const repeated = (/** @type {Rows[]} */ stacked) =>
    stacked.flatMap((rows) => Array.from({ length: group }, () => rows));
  const placedKeys = placed("keys", ownKeys);
  const [keys, values] = [repeated(placedKeys), repeated(ownValues)];
  if (group > 1) {
    note("keys_repeated", `each ${group} times`, "batch head key head_dim", keys);
    note("values_repeated", `each ${group} times`, "batch head key value_dim", values);
  }
  const scale = qkNorm === "l2" ? Math.sqrt(size) : 1 / Math.sqrt(size);
  const raw = queries.map((rows, head) => rows.map((query) => keys[head].map((key) => sumOfProducts(query, key))));
  const scaled = raw.map((rows) => rows.map((row) => row.map((value) => value * scale)));
  const isSeen = (/** @type {number} */ query, /** @type {number} */ key) =>
    key <= query && (window === null || query - key < window);
  const masked = scaled.map((rows) =>
    rows.map((row, query) => row.map((value, key) => (isSeen(query, key) ? value : -Infinity))),
  );
  const weights = masked.map((rows) => rows.map(softmax));
  const mixed = weights.map((rows, head) =>
    rows.map((row) =>
      values[head][0].map((_, axis) => row.reduce((sum, value, key) => sum + value * values[head][key][axis], 0)),
    ),
  );
  note("raw_scores", "Q Kᵀ", "batch head query key", raw);
  note("weights", "softmax over key", "batch head query key", weights);
  note("head_outputs", "weights V", "batch head query value_dim", mixed);
  const beside = note("heads_side_by_side", "transpose(1, 2)", "batch query head value_dim", swapped(mixed));
  const joined = note(
    "concatenated",
    "reshape",
    "batch query head·value_dim",
    beside.map((rows) => rows.flat()),
  );
  const output = note(
    "output",
    "W_O x + b",
    "batch query d_model",
    joined.map((row) => projected(block.output, row)),
  );
  const mask = x.map((_, query) => x.map((__, key) => isSeen(query, key)));
  return { shapes, tensors, queries, keys, values, scaled, mask, masked, weights, concatenated: joined, output };
}

/** @param {unknown} tensor @returns {number[]} */
function shapeOf(tensor) {
  return Array.isArray(tensor) ? [tensor.length, ...shapeOf(tensor[0])] : [];
}

/** @param {readonly number[]} a @param {readonly number[]} b */
function sumOfProducts(a, b) {
  return a.reduce((sum, value, axis) => sum + value * b[axis], 0);
}
