import assert from "node:assert/strict";
import { test } from "node:test";

import {
  cellNames,
  parseCell,
  positionName,
  positionTokens,
} from "../../../../static/js/explorer/prompts/positions.js";

/** @param {Partial<import("../../../../static/js/api/prompts.js").AlignedPosition>} position */
const at = (position) => ({ offset: 0, slot: null, texts: ["a"], variants: 1, count: 2, special: false, ...position });

test("positions are told apart: slots by primes, tokens by their places", () => {
  const positions = [
    at({ offset: 0, texts: ["[CLS]"], special: true }),
    at({ offset: 1, slot: "A", texts: ["x", "y"], variants: 2 }),
    at({ offset: 2, texts: [" the"] }),
    at({ offset: 3, slot: "A", texts: ["x", "y"], variants: 2 }),
    at({ offset: 4, texts: [" the", "cat", "dog"], variants: 3 }),
    ...[5, 6, 7].map((offset) => at({ offset, slot: "A" })),
  ];
  assert.deepEqual(
    positionTokens(positions).map((token) => token.label ?? token.text),
    ["[CLS]", "{A}", " the", "{A}′", "·the|cat|…", "{A}′′", "{A}′′′", "{A} (5)"],
  );
  assert.equal(positionTokens(positions), positionTokens(positions)); // the same list, so that nothing is drawn anew
  assert.equal(positionName(positions, "slots", 2, 1), "·the 3");
  assert.equal(positionName(positions, "slots", 3, 0), "{A}′");
});

test("positions from the end have their places below 0, whatever is counted from", () => {
  const positions = [at({ offset: -2 }), at({ offset: -1 })];
  assert.equal(positionName(positions, "end", 0, 1), "a −2");
  const found = { positions, key_positions: [at({ offset: -1, texts: ["k"] })], align: /** @type {const} */ ("end") };
  assert.deepEqual(cellNames(found, { query: 1, key: 0 }, 0), { query: "a −1", key: "k −1" }); // as in cross-attention
});

test("a cell of the address", () => {
  assert.deepEqual(parseCell("10.4"), { query: 10, key: 4 });
  for (const text of ["", "1", "1.", "a.b", "1.2.3", "123456.1"]) assert.equal(parseCell(text), null);
});
