import assert from "node:assert/strict";
import { test } from "node:test";

import {
  FORMAT,
  MOST_PINS,
  mergePins,
  movePin,
  readPins,
  titleOf,
  withName,
  withNote,
  withPin,
  withoutPin,
  writePins,
} from "../../../../static/js/explorer/pins/pins.js";

const pin = (/** @type {string} */ name) => ({
  address: `?layer=${name}`,
  title: name,
  name: "",
  note: "",
  at: "2026-11-23",
});
const [one, two, three] = ["1", "2", "3"].map(pin);

test("what is pinned stands last, as slides follow one another, and one address only once", () => {
  assert.deepEqual(withPin([one], two), [one, two]);
  assert.deepEqual(withPin([one, two], two), [one, two]);
  assert.deepEqual(withoutPin([one, two], one.address), [two]);
  assert.equal(withNote([one, two], two.address, "why")[1].note, "why");
});

test("a pin is called what its reader calls it, or else what was shown", () => {
  const [, named] = withName([one, two], two.address, "Who is it?");
  assert.equal(titleOf(named), "Who is it?");
  assert.equal(titleOf({ ...named, name: "  " }), "2");
  assert.equal(titleOf(one), "1");
});

test("of too many pins the oldest goes", () => {
  const full = Array.from({ length: MOST_PINS }, (_, index) => pin(String(index)));
  const next = withPin(full, pin("new"));
  assert.equal(next.length, MOST_PINS);
  assert.deepEqual([next[0].title, next.at(-1)?.title], ["1", "new"]);
});

test("pins move by one, and not beyond the ends", () => {
  assert.deepEqual(movePin([one, two, three], three.address, -1), [one, three, two]);
  assert.deepEqual(movePin([one, two], one.address, -1), [one, two]);
  assert.deepEqual(movePin([one, two], "?other", 1), [one, two]);
});

test("a file is read as it was written, and merged without doubles", () => {
  const read = readPins(writePins([one, two]));
  assert.deepEqual(read, [one, two]);
  assert.deepEqual(mergePins([two], read ?? []), [two, one]);
  const told = withNote(withName([one], one.address, "Title"), one.address, "first line\nsecond line");
  assert.deepEqual(readPins(writePins(told)), told);
});

test("what is no file of pins is refused, and a pin that leads elsewhere is left out", () => {
  for (const text of ["", "{", "[]", "null", '{"format": "other", "pins": []}', `{"format": "${FORMAT}"}`])
    assert.equal(readPins(text), null, text);
  const bad = [{ address: "javascript:alert(1)", title: "x" }, { address: "//other.example/?a", title: "x" }, null, 3];
  assert.deepEqual(readPins(JSON.stringify({ format: FORMAT, pins: [...bad, { ...one, note: 4, at: 5 }] })), [
    { ...one, at: "" },
  ]);
  const { name: _, ...older } = one; // a file from before pins had titles
  assert.deepEqual(readPins(JSON.stringify({ format: FORMAT, pins: [older] })), [one]);
});
