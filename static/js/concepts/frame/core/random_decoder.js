/**
 * The weights of a randomly initialised decoder, drawn in the page for saved files: those of `attention_core/decoder.py`
 * with the same seed, in float32. `decoder_trace.js` runs it.
 */

import { FORMS, GATE_INPUTS, hasValueEmbedding } from "./decoder_forms.js";
import { torchGenerator } from "./torch_random.js";

/** @typedef {import("./decoder_forms.js").Form} Form */

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
/** @typedef {{table: Linear, opening: Linear}} ValueEmbedding  its rows, and its gate */
/**
 * @typedef {{query: Linear, key: Linear, value: Linear, output: Linear, values: ValueEmbedding | null,
 *   gate: Linear | null, up: Linear, down: Linear}} Block
 */
/** @typedef {{sizes: Sizes, embedding: Linear, positions: Linear | null, blocks: Block[], output: Linear}} Decoder */

/** torch draws smaller matrices in another way. */
const SMALLEST = 16;

/**
 * Whether these sizes fit together, and each matrix can be drawn here.
 * @param {Sizes} sizes
 */
export function canDraw({ form, vocabulary, width, heads, kvHeads, hidden }) {
  const { positions, hasValueEmbeddings } = FORMS[form];
  const size = width / heads;
  if (width % heads || heads % kvHeads || (positions === "rope" && size % 2)) return false;
  const tables = hasValueEmbeddings ? [vocabulary * kvHeads * size, kvHeads * gateInputs(width)] : [];
  return Math.min(vocabulary * width, kvHeads * size * width, hidden * width, ...tables) >= SMALLEST;
}

/** From how many numbers of its input a value embedding's gate is computed. @param {number} width */
export function gateInputs(width) {
  return Math.min(GATE_INPUTS, width);
}

/** @param {Sizes} sizes @returns {Decoder} */
export function randomDecoder(sizes) {
  const { form, vocabulary, width, layers, heads, kvHeads, hidden, longest, deviation, seed } = sizes;
  const { positions: kind, feedForward, hasBias, isTied } = FORMS[form];
  const kept = (kvHeads * width) / heads;
  const opening = kvHeads * gateInputs(width);
  const generator = torchGenerator(seed);
  const withValues = Array.from({ length: layers }, (_, layer) => hasValueEmbedding(form, layer, layers));
  // Linear layers are drawn twice: first as torch initialises them.
  const matrices = 2 * width * (width + kept) + (feedForward === "swiglu" ? 3 : 2) * width * hidden;
  const biases = hasBias ? 2 * (width + kept) + hidden + width : 0;
  const gates = withValues.filter(Boolean).length * opening;
  generator.skip(layers * (matrices + biases) + gates + (isTied ? 0 : vocabulary * width));
  /** @param {number} outs @param {number} ins @param {number} by @returns {Linear} */
  const drawn = (outs, ins, by = 1) => ({ outs, ins, weight: generator.singles(outs * ins, deviation / by) });
  const embedding = drawn(vocabulary, width);
  const positions = kind === "learned" ? drawn(longest, width) : null;
  const shrink = Math.sqrt(2 * layers);
  // In the order in which the core draws them, which is that of the properties.
  const blocks = withValues.map((hasValues) => ({
    query: drawn(width, width),
    key: drawn(kept, width),
    value: drawn(kept, width),
    output: drawn(width, width, shrink),
    values: hasValues ? { table: drawn(vocabulary, kept), opening: drawn(kvHeads, gateInputs(width)) } : null,
    gate: feedForward === "swiglu" ? drawn(hidden, width) : null,
    up: drawn(hidden, width),
    down: drawn(width, hidden, shrink),
  }));
  return { sizes, embedding, positions, blocks, output: isTied ? embedding : drawn(vocabulary, width) };
}

/** `W x` @param {Linear} linear @param {readonly number[]} x @returns {number[]} */
export function projected({ outs, ins, weight }, x) {
  return Array.from({ length: outs }, (_, out) => {
    let sum = 0;
    for (let input = 0; input < ins; input++) sum += weight[out * ins + input] * x[input];
    return sum;
  });
}

/** @param {Linear} linear @param {number} row */
export function rowOf({ ins, weight }, row) {
  return [...weight.subarray(row * ins, (row + 1) * ins)];
}
