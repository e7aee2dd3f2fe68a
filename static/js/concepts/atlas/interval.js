/** What a share of few cases is worth: its interval by Wilson, and what it surely gains over a baseline. */

/** Standard deviations of a normal distribution that hold 95 %. */
const SPREAD = 1.959964;
/** Pairs of words of which a relation needs so many to be told from chance. */
export const FEWEST_PAIRS = 12;

/**
 * The 95 % interval of a share (Wilson 1927).
 * @param {number} share
 * @param {number} count  of cases
 * @returns {{low: number, high: number}}
 */
export function intervalOf(share, count) {
  if (count <= 0) return { low: 0, high: 1 };
  const squared = SPREAD ** 2 / count;
  const middle = (share + squared / 2) / (1 + squared);
  const reach = (SPREAD * Math.sqrt((share * (1 - share)) / count + squared / (4 * count))) / (1 + squared);
  return { low: Math.max(0, middle - reach), high: Math.min(1, middle + reach) };
}

/**
 * How far the lower end of a head's interval is above the best fixed offset.
 * @param {number | null} share
 * @param {number} count
 * @param {number | null} baseline
 */
export function sureGain(share, count, baseline) {
  return share === null ? -1 : intervalOf(share, count).low - (baseline ?? 0);
}

/**
 * Relations of enough pairs first, by what is surely gained, the largest first.
 * @template {{count: number}} Relation
 * @param {readonly Relation[]} relations
 * @param {(relation: Relation) => number} gainOf
 */
export function bySureGain(relations, gainOf) {
  const isFew = (/** @type {Relation} */ { count }) => Number(count < FEWEST_PAIRS);
  return [...relations].sort((a, b) => isFew(a) - isFew(b) || gainOf(b) - gainOf(a));
}
