import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { judge, verdictText } from "../../../../static/js/concepts/frame/answer_check.js";
import { slipsIn } from "../../../../static/js/concepts/frame/slips.js";
import { courseExercises } from "../../../../static/js/lessons/course.js";

const COURSE = readFileSync(new URL("../../../../server/pages/course.py", import.meta.url), "utf8");
const EXERCISES = Object.values(
  courseExercises(
    Object.fromEntries(
      [...COURSE.matchAll(/^ {4}"(\w+)": \(([^)]*)\),$/gm)].map(([, id, stems]) => [id, stems.match(/\w+/g) ?? []]),
    ),
  ),
).flat();

/** @typedef {import("../../../../static/js/lessons/course.js").Exercise} Exercise */

/** @param {string[]} typed @param {Exercise} exercise */
function answerTo(typed, exercise) {
  const verdicts = typed.map((one, at) => judge(one, exercise.expected[at], exercise.tolerance));
  return verdictText(verdicts, exercise, slipsIn(typed, exercise));
}

/** @param {string} id */
function exerciseNamed(id) {
  const found = EXERCISES.find((one) => one.id === id);
  assert.ok(found, id);
  return found;
}

/** The numbers of a slip, as somebody types them who makes no other. @param {Exercise} exercise @param {number} slip */
function slipped({ expected, slips, tolerance }, slip) {
  return expected.map((right, at) => {
    const value = slips[slip].values[at];
    return String(value === null || Math.abs(value - right) <= tolerance ? right : Number(value.toPrecision(4)));
  });
}

test("every exercise has slips, each apart from the right answer and from the others", () => {
  assert.ok(EXERCISES.length > 80);
  for (const { id, expected, tolerance, slips } of EXERCISES) {
    assert.ok(slips.length > 0, id);
    for (const { values, says } of slips) {
      assert.equal(values.length, expected.length, id);
      assert.ok(says.length > 10, id);
      const away = values.filter((value, at) => value !== null && Math.abs(value - expected[at]) > tolerance);
      assert.ok(away.length > 0, `${id}: ${says}`);
    }
    const numbers = slips.map(({ values }) => values.map((value) => value?.toPrecision(3)).join());
    assert.equal(new Set(numbers).size, numbers.length, `${id}: two slips with the same numbers`);
  }
});

test("who makes a slip is told this one, and no other", () => {
  for (const exercise of EXERCISES) {
    exercise.slips.forEach(({ says }, slip) => {
      const typed = slipped(exercise, slip);
      assert.deepEqual(
        slipsIn(typed, exercise).map((one) => one.says),
        [says],
        `${exercise.id}: ${typed.join(", ")}`,
      );
      assert.ok(answerTo(typed, exercise).endsWith(says), exercise.id);
    });
  }
});

test("who is right is told of no slip", () => {
  for (const exercise of EXERCISES) {
    assert.deepEqual(slipsIn(exercise.expected.map(String), exercise), [], exercise.id);
  }
});

test("slips worked out by hand are recognised", () => {
  /** @type {[string, string[], string][]} */
  const made = [
    // Scores 2 and 0 without ÷√2: e² / (e² + 1) = 7.3891 / 8.3891, output 0.8808 · 5 + 0.1192 · 10.
    ["scoring-one-query", ["0.8808", "0.1192", "5.596"], "without dividing the scores by √d_k"],
    // Columns of the scores: e^1.2 / (e^1 + e^0.5 + e^1.2) = 3.3201 / 7.6871.
    ["masks-x2-last", ["0.4319", "0.1579", "0.1863"], "down the columns"],
    // e^0.5, e^1.5, e^2.5 = 1.6487, 4.4817, 12.1825, together 18.3129.
    ["masks-x2", ["0.09", "0.2447", "0.6652"], "keys that the mask hides"],
    ["masks-x2", ["0.09", "0.2447", "0"], "masks after softmax"],
    // cos 1° and sin 1°.
    ["rope-pair", ["0.99985", "0.01745"], "degrees"],
    // 10,000^(−32/128) = 10^−1.
    ["rope-frequency", ["0.1"], "factor 2 in the exponent"],
    // One key, no value: 80 · 8 · 128 · 2 / 1024.
    ["kv-cache-token", ["160"], "the keys alone"],
    ["kv-cache-token", ["327,680"], "in bytes"],
    // (1, 3) / √5.
    ["qk-norm-layer", ["0.4472", "1.3416", "1.4142"], "leaves the mean in"],
    // 16 · 16 + 2 · 16 · 16 + 16 · 16: as many KV heads as query heads.
    ["decoder-parameters", ["1024"], "2 KV heads"],
    // 6 / (3 + 4).
    ["context-cosine", ["0.857"], "sum of the lengths"],
    ["circle-dot", ["5", "4"], "minus sign"],
    // 9.679 / 12.661.
    ["circle-longer", ["0.7645"], "still the old one"],
    // e^(−1) and e^(−2) in place of e^(−1) and e^(−4): 1 / 1.5032 = 0.6652.
    ["kernel-rbf", ["0.6652", "0.2447", "0.0900"], "leaves the distances"],
    ["order-row", ["0.2", "0.5", "0.3"], "leaves the weights at their positions"],
    ["embedding-cosine", ["1.4453"], "dot product itself"],
    ["softmax-hot", ["0.125", "3"], "base 2"],
    ["alibi-bias", ["1"], "minus sign"],
    // (3, 4) / 5.
    ["block-rms-norm", ["0.6", "0.8"], "L2 norm"],
    ["linear-by-hand", ["1", "1"], "bias"],
  ];
  for (const [id, typed, says] of made) {
    const exercise = exerciseNamed(id);
    assert.ok(answerTo(typed, exercise).includes(says), `${id}: ${answerTo(typed, exercise)}`);
  }
});

const TWO = {
  labels: ["a", "b", "c"],
  expected: [0.25, 0.5, 10],
  tolerance: 0.001,
  slips: [
    { values: [0.75, 0.5, null], says: "First." },
    { values: [0.75, 0.9, 20], says: "All." },
    { values: [null, null, 20], says: "Last." },
  ],
};

test("the slip that explains most is said, once", () => {
  assert.deepEqual(slipsIn(["0.75", "0.9", "20"], TWO), [{ says: "All.", places: [0, 1, 2] }]);
  assert.deepEqual(slipsIn(["0.75", "0.5", "10"], TWO), [{ says: "First.", places: [0] }]);
  assert.deepEqual(slipsIn(["0.25", "0.5", "20"], TWO), [{ says: "All.", places: [2] }]);
  assert.deepEqual(slipsIn(["0.25", "0.4", "10"], TWO), []);
});

test("several slips in one answer are each said with their numbers", () => {
  const exercise = { ...TWO, slips: [TWO.slips[0], TWO.slips[2]] };
  const verdicts = ["wrong", "empty", "wrong"].map((one) => /** @type {"wrong" | "empty"} */ (one));
  const found = slipsIn(["0.75", "", "20"], exercise);
  assert.equal(verdictText(verdicts, exercise, found), "a: First. c: Last. Still empty: b.");
});

test("what is near the right answer, rounded, or rounded too far is no slip", () => {
  const exercise = {
    labels: ["w"],
    expected: [0.2689],
    tolerance: 0.0006,
    slips: [
      { values: [0.2692], says: "Within the tolerance." },
      { values: [0.3], says: "As the right one with too few digits." },
    ],
  };
  assert.deepEqual(slipsIn(["0.2692"], exercise), []);
  assert.deepEqual(slipsIn(["0.27"], exercise), []);
  assert.deepEqual(slipsIn(["0.3"], exercise), []);
  assert.deepEqual(slipsIn(["0.30"], exercise), [{ says: "As the right one with too few digits.", places: [0] }]);
});
