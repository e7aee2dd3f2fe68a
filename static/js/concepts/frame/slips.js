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
  const verdicts = typed.map((value, index) => judge(value, expected[index], tolerance));
  const isWrong = (/** @type {number} */ place) => verdicts[place] === "wrong" || verdicts[place] === "near";
  /** @type {Recognised[]} */
  const recognised = [];
  let open = [...typed.keys()].filter((place) => isWrong(place) || verdicts[place] === "short");
  for (;;) {
    const fits = slips
      .map(({ values, says }) => {
        const agreeing = [...typed.keys()].filter((place) => agrees(typed[place], values[place]));
        const places = agreeing.filter(
          (place) => open.includes(place) && Math.abs(Number(values[place]) - expected[place]) > tolerance,
        );
        return { says, places, agreeing };
      })
      .filter(({ places }) => places.some(isWrong))
      .sort((a, b) => b.places.length - a.places.length || b.agreeing.length - a.agreeing.length);
    if (fits.length === 0) return recognised;
    const [{ says, places }] = fits;
    recognised.push({ says, places });
    open = open.filter((place) => !places.includes(place));
  }
}

/**
 * @param {string} typed
 * @param {number | null} value
 */
function agrees(typed, value) {
  return value !== null && isRight(judge(typed, value, CLOSE * Math.abs(value)));
}
