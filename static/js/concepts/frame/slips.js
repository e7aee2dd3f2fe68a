/** Recognise the commonest slips of an exercise by the numbers to which they lead. */

import { isRight, judge } from "./answer_check.js";

/**
 * @typedef {object} Slip
 * @property {(number | null)[]} values  what it makes of each number asked for; null where it settles nothing
 * @property {string} says  which slip it is, and what to do instead
 */

/** @typedef {{says: string, places: number[]}} Recognised  a slip, and the numbers that it explains */

/** As a share of the slip's own value: how near a typed number must come. */
const CLOSE = 0.002;

/**
 * The slips behind the wrong numbers. Each number is explained by one slip at most: by the one that explains most of
 * them and agrees with most of the others, the first of those. What is right but for its digits is explained along
 * with others only.
 * @param {readonly string[]} typed
 * @param {{expected: number[], tolerance: number, slips: readonly Slip[]}} exercise
 * @returns {Recognised[]}
 */
export function slipsIn(typed, { expected, tolerance, slips }) {
  const verdicts = typed.map((one, at) => judge(one, expected[at], tolerance));
  const isWrong = (/** @type {number} */ at) => verdicts[at] === "wrong" || verdicts[at] === "near";
  /** @type {Recognised[]} */
  const found = [];
  let open = [...typed.keys()].filter((at) => isWrong(at) || verdicts[at] === "short");
  for (;;) {
    const fits = slips
      .map(({ values, says }) => {
        const agreeing = [...typed.keys()].filter((at) => agrees(typed[at], values[at]));
        const places = agreeing.filter(
          (at) => open.includes(at) && Math.abs(Number(values[at]) - expected[at]) > tolerance,
        );
        return { says, places, agreeing };
      })
      .filter(({ places }) => places.some(isWrong))
      .sort((one, other) => other.places.length - one.places.length || other.agreeing.length - one.agreeing.length);
    if (fits.length === 0) return found;
    const [{ says, places }] = fits;
    found.push({ says, places });
    open = open.filter((at) => !places.includes(at));
  }
}

/**
 * @param {string} typed
 * @param {number | null} value
 */
function agrees(typed, value) {
  return value !== null && isRight(judge(typed, value, CLOSE * Math.abs(value)));
}
