/** What two lists have in common, in the order of both. */

/** Cells of the table that finds what two texts have in common; longer ones are paired where they begin and end alike. */
const MOST_CELLS = 4_000_000;
/** What was replaced is joined up to so many tokens, as in a word for a word; more are no one thing. */
const MOST_REPLACED = 4;

/**
 * The longest list of pairs with the same name, in the order of both.
 * @param {string[]} first
 * @param {string[]} second
 * @returns {[number, number][]}
 */
export function commonPairs(first, second) {
  let start = 0;
  while (start < Math.min(first.length, second.length) && first[start] === second[start]) start++;
  let back = 0;
  const most = Math.min(first.length, second.length) - start;
  while (back < most && first[first.length - 1 - back] === second[second.length - 1 - back]) back++;
  /** @type {[number, number][]} */
  const pairs = range(0, start).map((at) => [at, at]);
  const [one, other] = [first.slice(start, first.length - back), second.slice(start, second.length - back)];
  for (const [at, there] of middlePairs(one, other)) pairs.push([at + start, there + start]);
  for (let at = back; at > 0; at--) pairs.push([first.length - at, second.length - at]);
  return pairs;
}

/**
 * @param {string[]} first
 * @param {string[]} second
 * @returns {[number, number][]}
 */
function middlePairs(first, second) {
  const wide = second.length + 1;
  if (first.length * wide > MOST_CELLS) return [];
  const lengths = new Uint32Array((first.length + 1) * wide);
  for (let at = first.length - 1; at >= 0; at--) {
    for (let there = second.length - 1; there >= 0; there--) {
      lengths[at * wide + there] =
        first[at] === second[there]
          ? lengths[(at + 1) * wide + there + 1] + 1
          : Math.max(lengths[(at + 1) * wide + there], lengths[at * wide + there + 1]);
    }
  }
  /** @type {[number, number][]} */
  const pairs = [];
  let [at, there] = [0, 0];
  while (at < first.length && there < second.length) {
    if (first[at] === second[there]) pairs.push([at++, there++]);
    else if (lengths[(at + 1) * wide + there] >= lengths[at * wide + there + 1]) at++;
    else there++;
  }
  return pairs;
}

/**
 * Both lists in units, in their order: what both have, and between that what stands in place of what.
 * @param {string[]} first
 * @param {string[]} second
 * @returns {{first: number[], second: number[]}[]}  of indices; one side is empty where there is no counterpart
 */
export function pairedUnits(first, second) {
  /** @type {{first: number[], second: number[]}[]} */
  const units = [];
  let [one, other] = [0, 0];
  for (const [at, there] of [...commonPairs(first, second), [first.length, second.length]]) {
    units.push(...replaced(range(one, at), range(other, there)));
    if (at < first.length) units.push({ first: [at], second: [there] });
    [one, other] = [at + 1, there + 1];
  }
  return units;
}

/**
 * What stands in one text where something else stands in the other.
 * @param {number[]} first
 * @param {number[]} second
 */
function replaced(first, second) {
  if (first.length === second.length) return first.map((at, index) => ({ first: [at], second: [second[index]] }));
  const isFew = Math.max(first.length, second.length) <= MOST_REPLACED;
  if (first.length === 0 || second.length === 0 || !isFew) {
    return [...first.map((at) => ({ first: [at], second: [] })), ...second.map((at) => ({ first: [], second: [at] }))];
  }
  return [{ first, second }];
}

/** @param {number} from @param {number} to @returns {number[]} */
export function range(from, to) {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}
