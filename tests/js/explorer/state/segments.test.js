import assert from "node:assert/strict";
import { test } from "node:test";

import { arrange } from "../../../../static/js/explorer/state/arrangement.js";
import { chosenSegment, segmentChoices, twoTexts } from "../../../../static/js/explorer/state/segments.js";

/** @param {(number | null)[]} segments */
const tokensOf = (segments) =>
  segments.map((segment, index) => ({
    index,
    id: index,
    text: `t${index}`,
    start: index,
    end: index + 1,
    segment,
    special: index === 0,
  }));

const PAIR = tokensOf([0, 0, 0, 1, 1]);

test("each text stands in one piece, or there are not two", () => {
  assert.deepEqual(twoTexts(PAIR), [
    [0, 3],
    [3, 5],
  ]);
  for (const segments of [[0, 0], [1, 1], [0, 1, 0], [0, 1, 2], [0, null, 1], [null, null], []]) {
    assert.equal(twoTexts(tokensOf(segments)), null, String(segments));
  }
});

test("two texts that read each other have five windows, each written as the URL has it", () => {
  assert.deepEqual(segmentChoices(PAIR, PAIR), [
    { name: "all", rows: "", cols: "" },
    { name: "first → first", rows: "0:3", cols: "0:3" },
    { name: "first → second", rows: "0:3", cols: "3:5" },
    { name: "second → first", rows: "3:5", cols: "0:3" },
    { name: "second → second", rows: "3:5", cols: "3:5" },
  ]);
});

test("what another text reads has as many windows as it has texts; one text has none", () => {
  const one = tokensOf([0, 0]);
  assert.deepEqual(segmentChoices(one, PAIR).slice(1), [
    { name: "→ first", rows: "", cols: "0:3" },
    { name: "→ second", rows: "", cols: "3:5" },
  ]);
  assert.deepEqual(segmentChoices(one, one), []);
});

test("a window that is no choice is all of it", () => {
  const choices = segmentChoices(PAIR, PAIR);
  assert.deepEqual(chosenSegment(choices, { rows: "3:5", cols: "0:3" }), choices[3]);
  assert.deepEqual(chosenSegment(choices, { rows: "3:5", cols: "" }), { rows: "", cols: "" });
});

test("an arrangement can be of some tokens alone", () => {
  const { tokens, spans, places, isPlain } = arrange(PAIR, true, false, [0, 3]);
  assert.deepEqual(
    tokens.map(({ text }) => text),
    ["t1", "t2"],
  );
  assert.deepEqual(spans, [
    [1, 2],
    [2, 3],
  ]);
  assert.deepEqual([...places], [-1, 0, 1, -1, -1]);
  assert.equal(isPlain, false);
  assert.equal(arrange(PAIR, false, false, [0, 5]).isPlain, true);
});
