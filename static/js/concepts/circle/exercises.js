/** Exercises on the circle; the server can compute each answer. */

import { startsOf } from "../../base/fields.js";
import { fields, request } from "./state.js";
import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { crosswise, inRadians, minusLost, notNormalised } from "../../wording/slips.js";
import { rounded } from "../../base/numbers.js";
import { dot } from "../frame/core/attention.js";

const ONES = Array.from({ length: 10 }, () => 1);

/**
 * Ten keys of which one is five times as long, and the server's weight for a key.
 * @param {number} key
 * @param {number} [long]
 */
function tenKeys(key, long) {
  const state =
    long === undefined ? {} : { keyLengths: ONES.map((length, index) => (index === long ? 5 : length)), key: long };
  return { state, ...served("circle", request(startsOf(fields, state)), ({ weights }) => [weights[0][key]]) };
}

const SUM = 12.661;

/** @param {number} degrees */
const cosine = (degrees) => Math.cos((degrees * Math.PI) / 180);

/**
 * The weight of a key once it is five times as long.
 * @param {number} score  before
 * @param {{after?: number, whole?: number}} [given]
 */
function longer(score, { after = Math.exp(5 * score), whole = SUM - Math.exp(score) + after } = {}) {
  return after / whole;
}

/**
 * The slips in updating a weight.
 * @param {number} score  before
 */
function updating(score) {
  const after = Math.exp(5 * score);
  return [
    {
      values: [longer(score, { whole: SUM })],
      says: t("The sum is still the old one: it changes with this key's exponential."),
    },
    {
      values: [longer(score, { whole: SUM + after })],
      says: t("The key's old exponential is still in the sum: take it out."),
    },
  ];
}

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").CircleState>[]} */
export function exercises() {
  const q = [2, 1];
  const keys = [
    [1, 3],
    [-1, 2],
  ];
  return [
    {
      id: "circle-dot",
      question: t(
        "q = (2, 1). What is its dot product with (1, 3), and with (−1, 2), which is at a right angle to it?",
      ),
      labels: ["q · k₀", "q · k₁"],
      expected: keys.map((key) => dot(q, key)),
      tolerance: 0.001,
      slips: [
        { values: keys.map((key) => dot(q, key.map(Math.abs))), says: minusLost("(−1, 2)") },
        { values: keys.map(([first, second]) => dot(q, [second, first])), says: crosswise() },
        {
          values: keys.map(([first, second]) => q[0] * first * q[1] * second),
          says: t("That multiplies the two products: a dot product adds them."),
        },
      ],
      way: ["2 · 1 + 1 · 3 = 5", t("2 · (−1) + 1 · 2 = 0: at a right angle the dot product is 0.")],
    },
    {
      id: "circle-ten",
      question: t(
        "Ten keys of length 1 at 0°, 36°, 72°, …, scored by the dot product; the query is at 45°. The exponentials of all ten scores, no maximum subtracted, add up to 12.661. What is the weight of the key at 36°?",
      ),
      labels: ["α₁"],
      expected: [rounded(Math.exp(cosine(45 - 36)) / SUM, 4)],
      tolerance: 0.0006,
      slips: [
        { values: [Math.exp(cosine(45 - 36))], says: notNormalised() },
        {
          values: [cosine(45 - 36) / SUM],
          says: t("That is the score divided by the sum: take e to its power first."),
        },
        { values: [Math.exp(Math.cos(45 - 36)) / SUM], says: inRadians() },
      ],
      way: [
        t("The score is the cosine of the angle between them: cos(45° − 36°) = cos 9° = 0.9877."),
        t("e^0.9877 = 2.685; divided by 12.661 that is 0.2121."),
      ],
      ...tenKeys(1),
    },
    {
      id: "circle-longer",
      after: "circle-ten",
      question: t(
        "The key at 108° becomes five times as long. Its score was cos 63° = 0.4540, all exponentials together 12.661. What is its weight now?",
      ),
      labels: ["α₃"],
      expected: [rounded(longer(cosine(63)), 3)],
      tolerance: 0.001,
      slips: [
        ...updating(cosine(63)),
        {
          values: [(5 * Math.exp(cosine(63))) / SUM],
          says: t(
            "That is five times the old weight: the score becomes five times as large, and then comes the exponential.",
          ),
        },
      ],
      way: [
        t("Five times as long, five times the score: 2.270. e to its power is 9.679; before it was 1.575."),
        "12.661 − 1.575 + 9.679 = 20.765",
        "9.679 / 20.765 = 0.466",
      ],
      ...tenKeys(3, 3),
    },
    {
      id: "circle-loses",
      after: "circle-longer",
      question: t("And if instead the key at 144° becomes longer, whose score is cos 99° = −0.1564?"),
      labels: ["α₄"],
      expected: [rounded(longer(cosine(99)), 4)],
      tolerance: 0.0006,
      slips: [
        ...updating(cosine(99)),
        {
          values: [longer(-cosine(99))],
          says: t("The minus sign of the score is lost: five times a negative score is still negative."),
        },
      ],
      way: [
        t("Its score becomes −0.782: length amplifies the sign. e to its power is 0.457; before it was 0.855."),
        "12.661 − 0.855 + 0.457 = 12.263",
        "0.457 / 12.263 = 0.0373",
      ],
      ...tenKeys(4, 4),
    },
  ];
}
