/**
 * The weights of a randomly initialised decoder, drawn in the page for saved files: those of `attention_core/decoder.py`
 * with the same seed, in float32. `decoder_trace.js` runs it.
 */

import { torchGenerator } from "./torch_random.js";

/** @typedef {"modern" | "llama" | "gpt2"} Form */

/**
 * @typedef {object} Sizes
 * @property {Form} form
 * @property {number} vocabulary
 * @property {number} width
 * @property {number} layers
 * @property {number} heads
 * @property {number} kvHeads
 * @property {number} hidden
 * @property {number} longest  tokens
 * @property {"rms" | "l2" | null} qkNorm
 * @property {boolean} isNormedFirst  before RoPE
 * @property {number} deviation  of the weights
 * @property {number} seed
 */

/** @typedef {{outs: number, ins: number, weight: Float32Array}} Linear  without a bias, or with one of zeros */
/** @typedef {{query: Linear, key: Linear, value: Linear, output: Linear, gate: Linear | null, up: Linear, down: Linear}} Block */
/** @typedef {{sizes: Sizes, embedding: Linear, positions: Linear | null, blocks: Block[], output: Linear}} Decoder */

/** torch draws smaller matrices in another way. */
const SMALLEST = 16;

/**
 * Whether these sizes fit together, and each matrix can be drawn here.
 * @param {Sizes} sizes
 */
export function canDraw({ form, vocabulary, width, heads, kvHeads, hidden }) {
  const size = width / heads;
  if (width % heads || heads % kvHeads || (form !== "gpt2" && size % 2)) return false;
  return Math.min(vocabulary * width, kvHeads * size * width, hidden * width) >= SMALLEST;
}

/** @param {Sizes} sizes @returns {Decoder} */
export function randomDecoder(sizes) {
  const { form, vocabulary, width, layers, heads, kvHeads, hidden, longest, deviation, seed } = sizes;
  const isOld = form === "gpt2";
  const kept = (kvHeads * width) / heads;
  const generator = torchGenerator(seed);
  /** @type {[keyof Block, number, number][]} */
  const linears = [
    ["query", width, width],
    ["key", kept, width],
    ["value", kept, width],
    ["output", width, width],
    ...(isOld ? [] : /** @type {[keyof Block, number, number][]} */ ([["gate", hidden, width]])),
    ["up", hidden, width],
    ["down", width, hidden],
  ];
  // Linear layers are drawn twice: first as torch initialises them.
  const once = linears.reduce((sum, [, outs, ins]) => sum + outs * ins + (isOld ? outs : 0), 0);
  generator.skip(layers * once + (isOld ? 0 : vocabulary * width));
  /** @param {number} outs @param {number} ins @param {number} by @returns {Linear} */
  const drawn = (outs, ins, by = 1) => ({ outs, ins, weight: generator.singles(outs * ins, deviation / by) });
  const embedding = drawn(vocabulary, width);
  const positions = isOld ? drawn(longest, width) : null;
  const shrink = Math.sqrt(2 * layers);
  const blocks = Array.from({ length: layers }, () => {
    const found = linears.map(([name, outs, ins]) => {
      return [name, drawn(outs, ins, name === "output" || name === "down" ? shrink : 1)];
    });
    return /** @type {Block} */ ({ gate: null, ...Object.fromEntries(found) });
  });
  return { sizes, embedding, positions, blocks, output: isOld ? embedding : drawn(vocabulary, width) };
}

/** `W x` @param {Linear} linear @param {readonly number[]} x @returns {number[]} */
export function projected({ outs, ins, weight }, x) {
  return Array.from({ length: outs }, (_, out) => {
    let sum = 0;
    for (let at = 0; at < ins; at++) sum += weight[out * ins + at] * x[at];
    return sum;
  });
}

/** @param {Linear} linear @param {number} row */
export function rowOf({ ins, weight }, row) {
  return [...weight.subarray(row * ins, (row + 1) * ins)];
}
