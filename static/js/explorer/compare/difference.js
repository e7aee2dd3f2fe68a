/** Two matrices of the same cells, and what is between them. */

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../api/types.js").Candidate} Candidate */
/** @typedef {import("../../base/decode.js").Matrix} Matrix */

/**
 * second − first, cell by cell. A cell that is masked in either is masked.
 * @param {Matrix} first
 * @param {Matrix} second
 * @returns {Matrix | null}  null where the cells are not the same
 */
export function subtract(first, second) {
  const isSame = first.height === second.height && first.width === second.width;
  if (!isSame || String([first.rows, first.cols]) !== String([second.rows, second.cols])) return null;
  const values = Float32Array.from(second.values, (value, index) => {
    const difference = value - first.values[index];
    return Number.isFinite(difference) ? difference : -Infinity;
  });
  return { ...second, values };
}

/** @typedef {{query_tokens: number, key_tokens: number}} Sized */

/**
 * Whether two runs have the same cells.
 * @param {Sized} first
 * @param {Sized} second
 * @returns {boolean}
 */
export function isAlike(first, second) {
  return first.query_tokens === second.query_tokens && first.key_tokens === second.key_tokens;
}

/**
 * Whether the server subtracts two parts: it takes their numbers, head by head, so they must be of one kind.
 * @param {Sized & {name: string, layers: number, heads: number}} first
 * @param {Sized & {name: string, layers: number, heads: number}} second
 * @returns {boolean}
 */
export function isComparable(first, second) {
  const isSameKind = first.name === second.name && first.layers === second.layers && first.heads === second.heads;
  return isSameKind && isAlike(first, second);
}

/**
 * @typedef {object} CandidatePair  one token as both models see it; null where it is not known
 * @property {import("../../wording/labels.js").Piece} piece  of the first that lists it
 * @property {number | null} first
 * @property {number | null} second
 */

/**
 * Candidates side by side, those first that either thinks most probable.
 * @param {Candidate[]} first
 * @param {Candidate[]} second
 * @param {boolean} isSameModel  whose tokens are told apart by their numbers; those of two models meet by their text,
 *   where only one token of each has it
 * @returns {CandidatePair[]}
 */
export function pairCandidates(first, second, isSameModel) {
  const isOnly = (/** @type {Candidate[]} */ list, /** @type {Candidate} */ { text }) =>
    list.filter((candidate) => candidate.text === text).length === 1;
  const isSame = (/** @type {Candidate} */ a, /** @type {Candidate} */ b) =>
    isSameModel ? a.id === b.id : a.text === b.text && isOnly(first, a) && isOnly(second, b);
  const joint = first.map((one) => ({ one, other: second.find((candidate) => isSame(one, candidate)) ?? null }));
  const alone = second.filter((other) => !first.some((candidate) => isSame(candidate, other)));
  const pairs = [...joint, ...alone.map((other) => ({ one: null, other }))];
  return mostProbableFirst(
    pairs.map(({ one, other }) => ({
      piece: /** @type {Candidate} */ (one ?? other),
      first: one?.probability ?? null,
      second: other?.probability ?? null,
    })),
  );
}

/**
 * @param {CandidatePair[]} pairs
 * @returns {CandidatePair[]}  those first that either thinks most probable
 */
export function mostProbableFirst(pairs) {
  const most = (/** @type {CandidatePair} */ { first, second }) => Math.max(first ?? 0, second ?? 0);
  return [...pairs].sort((a, b) => most(b) - most(a));
}
