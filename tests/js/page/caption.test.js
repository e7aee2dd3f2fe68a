import assert from "node:assert/strict";
import { test } from "node:test";

import { wrapped } from "../../../static/js/page/caption.js";

const letters = (/** @type {string} */ part) => part.length;

test("lines are as full as the width lets them be, and lose nothing", () => {
  const text = "The largest weight is 0.71; after dividing by √64, 0.31 (of 1).";
  const lines = wrapped(text, 20, letters, "en");
  assert.deepEqual(lines, ["The largest weight", "is 0.71; after", "dividing by √64,", "0.31 (of 1)."]);
  assert.equal(lines.join(" "), text);
});

test("Japanese breaks between words, and no line begins with a mark that closes", () => {
  const text = "ヘッドは「猫」を読み、重みは 0.71 である。";
  const lines = wrapped(text, 8, letters, "ja");
  assert.ok(lines.length >= 3);
  for (const line of lines) assert.doesNotMatch(line, /^[、。」）]/);
  for (const line of lines) assert.doesNotMatch(line, /「$/);
  assert.equal(lines.join("").replaceAll(" ", ""), text.replaceAll(" ", ""));
});

test("a word longer than a line has one of its own", () => {
  assert.deepEqual(wrapped("a verylongword b", 6, letters, "en"), ["a", "verylongword", "b"]);
  assert.deepEqual(wrapped("", 6, letters, "en"), []);
});
