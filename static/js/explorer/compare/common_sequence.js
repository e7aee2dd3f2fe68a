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
  const pairs = range(0, start).map((index) => [index, index]);
  const [firstMiddle, secondMiddle] = [
    first.slice(start, first.length - back),
    second.slice(start, second.length - back),
  ];
  for (const [i, j] of middlePairs(firstMiddle, secondMiddle)) pairs.push([i + start, j + start]);
  for (let fromEnd = back; fromEnd > 0; fromEnd--) pairs.push([first.length - fromEnd, second.length - fromEnd]);
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
  for (let row = first.length - 1; row >= 0; row--) {
    for (let col = second.length - 1; col >= 0; col--) {
      lengths[row * wide + col] =
        first[row] === second[col]
          ? lengths[(row + 1) * wide + col + 1] + 1
          : Math.max(lengths[(row + 1) * wide + col], lengths[row * wide + col + 1]);
    }
  }
  /** @type {[number, number][]} */
  const pairs = [];
  let [i, j] = [0, 0];
  while (i < first.length && j < second.length) {
    if (first[i] === second[j]) pairs.push([i++, j++]);
    else if (lengths[(i + 1) * wide + j] >= lengths[i * wide + j + 1]) i++;
    else j++;
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
  let [firstStart, secondStart] = [0, 0];
  for (const [i, j] of [...commonPairs(first, second), [first.length, second.length]]) {
    units.push(...replaced(range(firstStart, i), range(secondStart, j)));
    if (i < first.length) units.push({ first: [i], second: [j] });
    [firstStart, secondStart] = [i + 1, j + 1];
  }
  return units;
}

/**
 * What stands in one text where something else stands in the other.
 * @param {number[]} first
 * @param {number[]} second
 */
function replaced(first, second) {
  if (first.length === second.length)
    return first.map((position, index) => ({ first: [position], second: [second[index]] }));
  const isFew = Math.max(first.length, second.length) <= MOST_REPLACED;
  if (first.length === 0 || second.length === 0 || !isFew) {
    return [
      ...first.map((position) => ({ first: [position], second: [] })),
      ...second.map((position) => ({ first: [], second: [position] })),
    ];
  }
  return [{ first, second }];
}

/** @param {number} from @param {number} to @returns {number[]} */
export function range(from, to) {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}
