/** What the forms of our own decoder differ in: the presets of `attention_core/decoder_config.py`. */

/** @typedef {"modern" | "llama" | "gpt2" | "nanochat_2025" | "nanochat_2026"} Form */

/**
 * @typedef {object} FormParts
 * @property {"rms" | "layer"} norm
 * @property {boolean} isNormLearned  with scales, and shifts where there are biases
 * @property {boolean} isEmbeddingNormed
 * @property {"rope" | "learned"} positions
 * @property {number} base  of RoPE
 * @property {"gelu" | "swiglu" | "relu_squared"} feedForward
 * @property {boolean} hasBias
 * @property {boolean} isTied  embedding and output are one matrix
 * @property {"rms" | null} qkNorm
 * @property {boolean} isQkNormLearned
 * @property {number} qkGain  factor of queries and keys
 * @property {boolean} isSharing  2 key/value heads unless asked for others
 * @property {boolean} hasValueEmbeddings
 * @property {string | null} windows  S or L by block
 * @property {number | null} logitCap
 */

/** @type {FormParts} */
const LLAMA = {
  norm: "rms",
  isNormLearned: true,
  isEmbeddingNormed: false,
  positions: "rope",
  base: 10_000,
  feedForward: "swiglu",
  hasBias: false,
  isTied: false,
  qkNorm: null,
  isQkNormLearned: true,
  qkGain: 1,
  isSharing: false,
  hasValueEmbeddings: false,
  windows: null,
  logitCap: null,
};
/** @type {FormParts} */
const MODERN = { ...LLAMA, qkNorm: "rms", isQkNormLearned: false, isSharing: true };
/** @type {FormParts} */
const NANOCHAT = {
  ...MODERN,
  isNormLearned: false,
  isEmbeddingNormed: true,
  feedForward: "relu_squared",
  logitCap: 15,
};

/** @type {Readonly<Record<Form, FormParts>>} */
export const FORMS = {
  modern: MODERN,
  llama: LLAMA,
  gpt2: { ...LLAMA, norm: "layer", positions: "learned", feedForward: "gelu", hasBias: true, isTied: true },
  nanochat_2025: NANOCHAT,
  nanochat_2026: { ...NANOCHAT, base: 100_000, qkGain: 1.2, hasValueEmbeddings: true, windows: "SSSL" },
};

/** The gate of a value embedding is computed from so many of the input's numbers, and lies between 0 and `MOST`. */
export const GATE_INPUTS = 12;
export const MOST = 3;

/**
 * Whether a block adds value embeddings: the last one and every other one before it.
 * @param {Form} form
 * @param {number} layer
 * @param {number} layers
 */
export function hasValueEmbedding(form, layer, layers) {
  return FORMS[form].hasValueEmbeddings && layer % 2 === (layers - 1) % 2;
}

/**
 * How many keys a query sees in a block, its own included; null: all up to its own.
 * @param {Form} form
 * @param {number} layer
 * @param {number} layers
 * @param {number} longest  tokens
 */
export function windowOf(form, layer, layers, longest) {
  const { windows } = FORMS[form];
  if (windows === null || layer === layers - 1 || windows[layer % windows.length] === "L") return null;
  return Math.ceil(longest / 4) + 1;
}
