/** Masks of the page as boolean matrices, and what they let through over several layers. */

/** @typedef {boolean[][]} Matrix  rows are queries, columns are keys */
/** @typedef {"window" | "causal" | "documents" | "prefix" | "strided" | "full" | "own"} MaskKind */

/** Of the prefix, in tokens; of the strided mask, in positions. */
const [PREFIX, STRIDE] = [3, 2];

/**
 * @param {number} count
 * @param {(query: number, key: number) => boolean} may
 * @returns {Matrix}
 */
export function matrixOf(count, may) {
  return Array.from({ length: count }, (_, query) => Array.from({ length: count }, (__, key) => may(query, key)));
}

/**
 * The mask that a kind names, before anything is drawn into it.
 * @param {MaskKind} kind
 * @param {number} count
 * @param {number} window
 */
export function namedMask(kind, count, window) {
  const half = Math.ceil(count / 2);
  const rules = /** @type {Record<MaskKind, (query: number, key: number) => boolean>} */ ({
    window: (query, key) => key <= query && query - key < window,
    causal: (query, key) => key <= query,
    documents: (query, key) => key <= query && query < half === key < half,
    prefix: (query, key) => key <= query || key < PREFIX,
    strided: (query, key) => key <= query && (query - key) % STRIDE === 0,
    full: () => true,
    own: (query, key) => key === query,
  });
  return matrixOf(count, rules[kind]);
}

/** @param {number} count */
export function identity(count) {
  return matrixOf(count, (query, key) => query === key);
}

/**
 * Boolean product: (i, j) where some k has left (i, k) and right (k, j).
 * @param {Matrix} left
 * @param {Matrix} right
 */
export function product(left, right) {
  return matrixOf(left.length, (query, key) => left[query].some((is, between) => is && right[between][key]));
}

/**
 * What can have arrived after each layer: the products of mixed · (mask + I) of the layers so far.
 * @param {readonly Matrix[]} masks  of the layers
 * @param {Matrix} [mixed]  what passes beside attention
 */
export function arrived(masks, mixed = identity(masks[0].length)) {
  const same = identity(masks[0].length);
  let before = same;
  return masks.map((mask) => {
    const step = product(
      mixed,
      mask.map((row, query) => row.map((may, key) => may || same[query][key])),
    );
    before = product(step, before);
    return before;
  });
}

/** Pairs that a matrix has. @param {Matrix} matrix */
export function pairsIn(matrix) {
  return matrix.flat().filter(Boolean).length;
}
