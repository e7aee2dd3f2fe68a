import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { courseExercises } from "../../../static/js/lessons/course.js";

const COURSE = readFileSync(new URL("../../../server/pages/course.py", import.meta.url), "utf8");
const LESSONS = Object.fromEntries(
  [...COURSE.matchAll(/^ {4}"(\w+)": \(([^)]*)\),$/gm)].map(([, id, stems]) => [id, stems.match(/\w+/g) ?? []]),
);

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
