/**
 * Causal attention of the randomly initialised decoder with every tensor and its shape, in the order of
 * `attention_core/multi_head.py`.
 */

import { mixed, softmax } from "./attention.js";
import { FORMS } from "./decoder_forms.js";
import { ofEqualLength } from "./decoder_norms.js";
import { projected } from "./random_decoder.js";
import { anglesOf, frequenciesOf, product, ROTATIONS } from "./rotation.js";

/** @typedef {number[][]} Rows */
/** @typedef {import("./random_decoder.js").Block} Block */
/** @typedef {import("./random_decoder.js").Linear} Linear */
/** @typedef {import("./random_decoder.js").Sizes} Sizes */
/** @typedef {{rows: Rows[], gate: Rows}} ValueRows  of each key/value head and token: what is added, and how much of it */
/** @typedef {{name: string, operation: string, axes: string[], shape: number[]}} ShapeStep */

/**
 * @typedef {object} Placing  what is done to each query and key before they meet
 * @property {string} name  at the end of the tensor's
 * @property {string} operation
 * @property {(vector: number[], position: number) => number[]} of
 */

const AXES = {
  queries: "batch head query head_dim",
  keys: "batch kv_head key head_dim",
  values: "batch kv_head key value_dim",
};

/** Tensors in the order in which they arise, each with its shape. */
class TensorLog {
  /** @type {ShapeStep[]} */
  shapes = [];
  /** @type {Record<string, Rows | Rows[]>} */
  tensors = {};

  /**
   * @template {Rows | Rows[]} T
   * @param {string} name
   * @param {string} operation
   * @param {string} axes
   * @param {T} tensor
   * @returns {T}
   */
  note(name, operation, axes, tensor) {
    this.shapes.push({ name, operation, axes: axes.split(" "), shape: [1, ...shapeOf(tensor)] });
    this.tensors[name] = tensor;
    return tensor;
  }
}

/**
 * @param {Sizes} sizes
 * @param {Block} block
 * @param {Rows} x
 * @param {ValueRows | null} added  to the values
 * @param {number | null} window
 */
export function attended(sizes, block, x, added, window) {
  const log = new TensorLog();
  const { heads, kvHeads } = sizes;
  const placings = placingsOf(sizes, x.length);
  log.note("input", "x", "batch query d_model", x);
  const queries = placed(log, "queries", split(log, "queries", block.query, x, heads), placings);
  const ownKeys = split(log, "keys", block.key, x, kvHeads);
  const ownValues = withAdded(log, split(log, "values", block.value, x, kvHeads), added);
  const placedKeys = placed(log, "keys", ownKeys, placings);
  const group = heads / kvHeads;
  const [keys, values] = [repeated(placedKeys, group), repeated(ownValues, group)];
  if (group > 1) {
    log.note("keys_repeated", `each ${group} times`, "batch head key head_dim", keys);
    log.note("values_repeated", `each ${group} times`, "batch head key value_dim", values);
  }
  const mask = x.map((_, query) => x.map((__, key) => key <= query && (window === null || query - key < window)));
  const { raw, scaled, masked, weights, outputs } = mixedByHead({ queries, keys, values }, scaleOf(sizes), mask);
  log.note("raw_scores", "Q Kᵀ", "batch head query key", raw);
  log.note("weights", "softmax over key", "batch head query key", weights);
  log.note("head_outputs", "weights V", "batch head query value_dim", outputs);
  const { concatenated, output } = joined(log, outputs, block.output);
  return { ...log, queries, keys, values, scaled, mask, masked, weights, concatenated, output };
}

/**
 * In their order: RoPE, QK-norm and a factor, as far as the form has them.
 * @param {Pick<Sizes, "form" | "qkNorm" | "isNormedFirst" | "width" | "heads">} sizes
 * @param {number} count  of tokens
 * @returns {Placing[]}
 */
export function placingsOf({ form, qkNorm, isNormedFirst, width, heads }, count) {
  const { positions, base, qkGain } = FORMS[form];
  const places = Array.from({ length: count }, (_, position) => position);
  const angles = anglesOf(places, frequenciesOf(width / heads, base));
  /** @type {Placing[]} */
  const turned = [
    { name: "turned", operation: "RoPE", of: (vector, position) => ROTATIONS.half_split(vector, angles[position]) },
  ];
  const evened = qkNorm
    ? [{ name: "normed", operation: "QK-norm", of: (/** @type {number[]} */ vector) => ofEqualLength(qkNorm, vector) }]
    : [];
  const turnings = positions === "rope" ? turned : [];
  const inOrder = isNormedFirst ? [...evened, ...turnings] : [...turnings, ...evened];
  if (qkGain === 1) return inOrder;
  return [
    ...inOrder,
    { name: "sharpened", operation: `× ${qkGain}`, of: (vector) => vector.map((value) => qkGain * value) },
  ];
}

/** @param {TensorLog} log @param {"queries" | "keys"} name @param {Rows[]} vectors @param {Placing[]} placings */
function placed(log, name, vectors, placings) {
  let now = vectors;
  for (const placing of placings) {
    const next = now.map((rows) => rows.map(placing.of));
    now = log.note(`${name}_${placing.name}`, placing.operation, AXES[name], next);
  }
  return now;
}

/**
 * @param {TensorLog} log
 * @param {"queries" | "keys" | "values"} name
 * @param {Linear} linear
 * @param {Rows} x
 * @param {number} count  of heads
 */
function split(log, name, linear, x, count) {
  const [, head, tokens, dim] = AXES[name].split(" ");
  const wide = x.map((row) => projected(linear, row));
  const cut = byHead(wide, count);
  log.note(`${name}_projected`, "W x + b", `batch ${tokens} ${head}·${dim}`, wide);
  log.note(`${name}_split`, "view", `batch ${tokens} ${head} ${dim}`, swapped(cut));
  return log.note(`${name}_by_head`, "transpose(1, 2)", AXES[name], cut);
}

/** @param {TensorLog} log @param {Rows[]} values @param {ValueRows | null} added */
function withAdded(log, values, added) {
  if (added === null) return values;
  const { rows, gate } = added;
  const sums = values.map((own, head) =>
    own.map((row, position) => row.map((value, axis) => value + gate[head][position] * rows[head][position][axis])),
  );
  return log.note("values_added", "+ added_values", AXES.values, sums);
}

/** @param {Sizes} sizes */
function scaleOf({ width, heads, qkNorm }) {
  return qkNorm === "l2" ? Math.sqrt(width / heads) : 1 / Math.sqrt(width / heads);
}

/**
 * Each head's stages from scores to mixed values.
 * @param {{queries: Rows[], keys: Rows[], values: Rows[]}} by  head
 * @param {number} scale
 * @param {boolean[][]} mask  whether a query sees a key
 */
function mixedByHead({ queries, keys, values }, scale, mask) {
  const raw = queries.map((rows, head) => product(rows, keys[head]));
  const scaled = raw.map((rows) => rows.map((row) => row.map((value) => value * scale)));
  const masked = scaled.map((rows) =>
    rows.map((row, query) => row.map((value, key) => (mask[query][key] ? value : -Infinity))),
  );
  const weights = masked.map((rows) => rows.map(softmax));
  const outputs = weights.map((rows, head) => rows.map((row) => mixed(row, values[head])));
  return { raw, scaled, masked, weights, outputs };
}

/** @param {TensorLog} log @param {Rows[]} outputs  of the heads @param {Linear} linear */
function joined(log, outputs, linear) {
  const beside = log.note("heads_side_by_side", "transpose(1, 2)", "batch query head value_dim", swapped(outputs));
  const rows = beside.map((heads) => heads.flat());
  const concatenated = log.note("concatenated", "reshape", "batch query head·value_dim", rows);
  const projectedRows = concatenated.map((row) => projected(linear, row));
  return { concatenated, output: log.note("output", "W_O x + b", "batch query d_model", projectedRows) };
}

/** Each key/value head for all queries of its group. @param {Rows[]} stacked @param {number} group */
function repeated(stacked, group) {
  return stacked.flatMap((rows) => Array.from({ length: group }, () => rows));
}

/** Each head's rows. @param {Rows} rows @param {number} heads @returns {Rows[]} */
export function byHead(rows, heads) {
  const size = rows[0].length / heads;
  return Array.from({ length: heads }, (_, head) => rows.map((row) => row.slice(head * size, (head + 1) * size)));
}

/** Rows and heads change places. @template T @param {T[][]} stacked @returns {T[][]} */
export function swapped(stacked) {
  return stacked[0].map((_, row) => stacked.map((rows) => rows[row]));
}

/** @param {unknown} tensor @returns {number[]} */
function shapeOf(tensor) {
  return Array.isArray(tensor) ? [tensor.length, ...shapeOf(tensor[0])] : [];
}
