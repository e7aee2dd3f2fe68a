import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { courseExercises } from "../../../static/js/lessons/course.js";

const COURSE = readFileSync(new URL("../../../server/pages/course.py", import.meta.url), "utf8");
const LESSONS = Object.fromEntries(
  [...COURSE.matchAll(/^ {4}"(\w+)": \(([^)]*)\),$/gm)].map(([, id, stems]) => [id, stems.match(/\w+/g) ?? []]),
);

/** @typedef {{id: string, question: string, expected: number[]}} Asked */

/** The numbers and the vectors that a question gives. @param {string} question */
function given(question) {
  return {
    vectors: (question.match(/\([^()]*\d[^()]*\)/g) ?? []).sort().join(" "),
    numbers: (question.match(/\d+(?:[.,]\d+)*/g) ?? []).sort().join(" "),
  };
}

/** @param {Asked} one @param {Asked} other */
function asksTheSame(one, other) {
  const [here, there] = [given(one.question), given(other.question)];
  const [few, many] = [one.expected, other.expected].sort((first, second) => first.length - second.length);
  if (!few.every((value) => many.includes(value))) return false;
  const isSame = (/** @type {"vectors" | "numbers"} */ kind) => here[kind] !== "" && here[kind] === there[kind];
  return one.question === other.question || isSame("vectors") || isSame("numbers");
}

/** Pairs that ask for the same, given the same. @param {Asked[]} exercises */
function twins(exercises) {
  return exercises.flatMap((one, at) =>
    exercises.slice(at + 1).flatMap((other) => (asksTheSame(one, other) ? [`${one.id}, ${other.id}`] : [])),
  );
}

test("no two exercises of the course ask the same with the same numbers", () => {
  const all = Object.values(courseExercises(LESSONS)).flat();
  assert.deepEqual(twins(all), []);
  const again = {
    id: "again",
    question: "The layer norm of (1, 3), with scale 1, shift 0 and no ε?",
    expected: [-1, 1],
  };
  assert.deepEqual(twins([...all, again]), ["qk-norm-layer, again"]);
  const reworded = { id: "reworded", question: "And (2, 1) · (1, 3)? And (2, 1) · (−1, 2)?", expected: [0] };
  assert.deepEqual(twins([reworded, { ...reworded, id: "twice" }]), ["reworded, twice"]);
});

test("every lesson has exercises, and those of training are as worked out by hand", () => {
  const course = courseExercises(LESSONS);
  assert.deepEqual(
    Object.keys(course).filter((lesson) => course[lesson].length === 0),
    [],
  );
  const [heads, loss] = course.training;
  // a b c d a b c: the last c is at 6, the token before it at 5; the c before that is at 2, and d follows it at 3.
  assert.deepEqual(heads.expected, [5, 3]);
  // ln 32 = 5 ln 2 = 5 · 0.693147; e^(−0.4) by its series: 1 − 0.4 + 0.08 − 0.010667 + 0.001067 − 0.000085.
  assert.deepEqual(loss.expected, [3.4657, 0.6703]);
});

test("no lesson asks for the same numbers twice", () => {
  const course = courseExercises(LESSONS);
  assert.ok(Object.keys(LESSONS).length > 15);
  assert.ok(Object.values(course).flat().length > 75);
  for (const [lesson, exercises] of Object.entries(course)) {
    const asked = exercises.map(({ expected }) => JSON.stringify(expected));
    const twice = exercises.filter((_, at) => asked.indexOf(asked[at]) !== at).map(({ id }) => id);
    assert.deepEqual(twice, [], lesson);
  }
});
