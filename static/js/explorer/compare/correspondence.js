/** From the tokens of the run that is shown to those of the run beside it, and back, by what belongs together. */

/** @typedef {import("./alignment.js").Alignment} Alignment */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {"first" | "second"} Side */

/**
 * @param {Alignment} alignment
 * @param {Side} own  the run whose tokens the state counts
 * @param {{first: number, second: number}} counts  of tokens
 */
export function correspondence({ units }, own, counts) {
  const other = own === "first" ? "second" : "first";
  const unitOf = { first: unitsBy(units, "first", counts.first), second: unitsBy(units, "second", counts.second) };

  /** @param {Side} from @param {Side} to @param {number | null} token */
  function across(from, to, token) {
    const unit = token === null ? undefined : units[unitOf[from][token]];
    return unit ? unit[to][0] : null;
  }

  /**
   * The stretch of the other side that belongs to one of this side; all of it where nothing does.
   * @param {Side} from @param {Side} to @param {Range} range @returns {Range}
   */
  function stretch(from, to, [first, end]) {
    if (first === 0 && end >= counts[from]) return [0, counts[to]];
    const tokens = units
      .filter((unit) => unit[from].some((token) => token >= first && token < end))
      .flatMap((unit) => unit[to]);
    return tokens.length > 0 ? [Math.min(...tokens), Math.max(...tokens) + 1] : [0, counts[to]];
  }

  return {
    /** @param {number | null} token */
    toOther: (token) => across(own, other, token),
    /** @param {number | null} token */
    toOwn: (token) => across(other, own, token),
    /** @param {Range} range */
    rangeToOther: (range) => stretch(own, other, range),
    /** @param {Range} range */
    rangeToOwn: (range) => stretch(other, own, range),
    /** @param {number | null} token @returns {number | null} */
    unitOf: (token) => (token === null || unitOf[own][token] < 0 ? null : (unitOf[own][token] ?? null)),
    /** @param {number | null} unit @returns {number | null} */
    ownOf: (unit) => (unit === null ? null : (units[unit]?.[own][0] ?? null)),
    /** Units in view. @param {Range} range @returns {Range} */
    unitsIn([first, end]) {
      if (first === 0 && end >= counts[own]) return [0, units.length];
      const inView = units.flatMap((unit, index) =>
        unit[own].some((token) => token >= first && token < end) ? [index] : [],
      );
      return inView.length > 0 ? [inView[0], (inView.at(-1) ?? 0) + 1] : [0, units.length];
    },
    /** Their tokens. @param {Range} range @returns {Range} */
    tokensIn([first, end]) {
      if (first === 0 && end >= units.length) return [0, counts[own]];
      const tokens = units.slice(first, end).flatMap((unit) => unit[own]);
      return [Math.min(...tokens), Math.max(...tokens) + 1];
    },
  };
}

/**
 * @param {Alignment["units"]} units
 * @param {Side} side
 * @param {number} count
 * @returns {Int32Array}  the unit of each token; −1 of one that is alone
 */
function unitsBy(units, side, count) {
  const unitOf = new Int32Array(count).fill(-1);
  units.forEach((unit, index) => unit[side].forEach((token) => (unitOf[token] = index)));
  return unitOf;
}
