/** Masks from a kind and its options, as `attention_core/demos/masks.py` builds them, for pages that compute by themselves. */

/**
 * @typedef {object} Options  as the API takes them
 * @property {string} kind
 * @property {number | null} [window]
 * @property {boolean | null} [causal_only]
 * @property {number | null} [prefix]
 * @property {unknown} [lengths]  one, or one for each sequence
 * @property {unknown} [is_token]
 * @property {boolean[][] | null} [allowed]
 * @property {unknown} [additive]
 * @property {boolean | null} [causal]
 */

/**
 * Where queries may attend; the queries are at the last positions of the keys. Null for what is left to the server:
 * options that the pages do not have, and queries that outnumber the keys of a mask by position.
 * @param {Options} options
 * @param {number} queries
 * @param {number} keys
 * @returns {boolean[][] | boolean[][][] | null}  one more axis where there are lengths of several sequences
 */
export function maskMatrix(options, queries, keys) {
  const { kind, window, causal_only: back, prefix, lengths, is_token: isToken, allowed, additive, causal } = options;
  const isByPosition = causal || kind === "causal" || kind === "sliding_window" || kind === "prefix";
  if (additive || isToken || (isByPosition && queries > keys)) return null;
  /** @param {(behind: number, key: number, query: number) => boolean} may */
  const matrix = (may) =>
    Array.from({ length: queries }, (_, query) =>
      Array.from({ length: keys }, (_, key) => {
        const behind = query + keys - queries - key;
        return may(behind, key, query) && (!causal || behind >= 0);
      }),
    );
  /** @param {number} length */
  const padded = (length) => matrix((_, key) => key < length);
  switch (kind) {
    case "none":
      return matrix(() => true);
    case "causal":
      return matrix((behind) => behind >= 0);
    case "sliding_window":
      return matrix((behind) => behind < Number(window) && behind > (back === false ? -Number(window) : -1));
    case "prefix":
      return matrix((behind, key) => behind >= 0 || key < Number(prefix));
    case "padding": {
      const list = /** @type {number[]} */ ([lengths].flat());
      if (Math.max(...list) === 0) return null; // the server refuses it
      return Array.isArray(lengths) ? list.map(padded) : padded(list[0]);
    }
    case "custom":
      return allowed ? matrix((_, key, query) => allowed[query][key]) : null;
    default:
      return null;
  }
}

/** As the API writes numbers: JSON has no infinities. @param {readonly number[]} row @returns {(number | string)[]} */
export function writtenRow(row) {
  return row.map((value) => (Number.isFinite(value) ? value : String(value)));
}

/** `−Σ w ln w`, in nats. @param {readonly number[]} weights */
export function entropyOf(weights) {
  return 0 - weights.reduce((sum, weight) => (weight > 0 ? sum + weight * Math.log(weight) : sum), 0);
}
