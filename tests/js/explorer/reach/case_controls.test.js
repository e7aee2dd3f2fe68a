/** Which ways of running a text are offered, and where something begins in it. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { caseOf } from "../../../../static/js/explorer/reach/case_controls.js";

const decoder = { isChanged: false, isImage: false, parts: [{ name: "decoder" }], count: 11 };
const asked = (
  /** @type {import("../../../../static/js/api/reach.js").ReachCase} */ name,
  /** @type {number | null} */ at = null,
) => ({
  reachCase: name,
  reachStart: at,
});

test("a decoder runs in all ways, an encoder as it is and behind padding", () => {
  assert.deepEqual(caseOf(asked("plain"), decoder).cases, ["plain", "packed", "padded", "cached"]);
  const encoder = { ...decoder, parts: [{ name: "encoder" }] };
  assert.deepEqual(caseOf(asked("plain"), encoder).cases, ["plain", "padded"]);
  assert.equal(caseOf(asked("cached"), encoder).case, "plain");
});

test("a changed model, an image and a model of two parts run as they are", () => {
  for (const about of [
    { ...decoder, isChanged: true },
    { ...decoder, isImage: true },
    { ...decoder, parts: [{ name: "encoder" }, { name: "decoder" }] },
  ])
    assert.deepEqual(caseOf(asked("packed", 3), about), { cases: ["plain"], case: "plain", start: null });
});

test("documents part in the middle and padding is four positions, unless a place inside the text is asked for", () => {
  assert.equal(caseOf(asked("packed"), decoder).start, 5);
  assert.equal(caseOf(asked("padded"), decoder).start, 4);
  assert.equal(caseOf(asked("padded"), { ...decoder, count: 5 }).start, 2);
  assert.equal(caseOf(asked("packed", 10), decoder).start, 10);
  for (const outside of [0, 11]) assert.equal(caseOf(asked("packed", outside), decoder).start, 5);
  assert.equal(caseOf(asked("cached", 3), decoder).start, null);
});
