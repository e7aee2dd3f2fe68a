/** The entropy of a head that attends to all tokens equally, which a head's own is compared with. */

/** @typedef {import("../../../api/types.js").Part} Part */

/**
 * The mean entropy of rows that read all that they may read equally.
 * @param {Pick<Part, "causal" | "key_tokens">} part
 * @returns {number}
 */
export function uniformEntropy({ causal, key_tokens: keys }) {
  if (!causal) return Math.log(keys);
  let sum = 0;
  for (let row = 0; row < keys; row++) sum += Math.log(row + 1);
  return sum / keys;
}
