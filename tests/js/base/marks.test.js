import assert from "node:assert/strict";
import { test } from "node:test";

import { createMarks } from "../../../static/js/base/marks.js";

/** @param {number} count */
function things(count) {
  /** @type {string[]} */
  const log = [];
  const elements = Array.from({ length: count }, (_, index) => /** @type {any} */ ({ index }));
  const kind =
    (/** @type {string} */ name) =>
    (/** @type {any} */ { index }, /** @type {boolean} */ isIt) =>
      void log.push(`${isIt ? "+" : "-"}${name}${index}`);
  const marks = createMarks({ query: kind("q"), key: kind("k") }, (index) => elements[index]);
  const told = () => log.splice(0).join(" ");
  return { marks, told };
}

test("a mark leaves one element and comes to another, and nothing else is touched", () => {
  const { marks, told } = things(5);
  marks.set({ query: 0, key: 2 });
  assert.equal(told(), "+q0 +k2");
  marks.set({ query: 3, key: 2 });
  assert.equal(told(), "-q0 +q3");
  marks.set({ key: null });
  assert.equal(told(), "-k2");
});

test("where there is no element there is no mark", () => {
  const { marks, told } = things(2);
  marks.set({ query: 1 });
  marks.set({ query: 7 });
  assert.equal(told(), "+q1 -q1");
  marks.set({ query: 7 });
  assert.equal(told(), "");
});

test("elements made anew are marked anew", () => {
  const { marks, told } = things(2);
  marks.set({ query: 1 });
  marks.forget();
  marks.set({ query: 1 });
  assert.equal(told(), "+q1 +q1");
});
