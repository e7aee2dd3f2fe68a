import assert from "node:assert/strict";
import { test } from "node:test";

import { endOf, keyAct, neighbour, nextFigure } from "../../../static/js/page/deck.js";

const figures = ["one", "two", "three"].map((name) => ({ name, notice: "" }));

test("steps come first, then the next figure's first step", () => {
  assert.deepEqual(neighbour({ figures, figure: 0, steps: 5, step: 4 }, 1), { figure: null, step: 5 });
  assert.deepEqual(neighbour({ figures, figure: 0, steps: 5, step: 5 }, 1), { figure: 1, step: 1 });
  assert.deepEqual(neighbour({ figures, figure: 1, steps: 5, step: 1 }, -1), { figure: 0, step: 5 });
});

test("there is nothing before the first and after the last", () => {
  assert.equal(neighbour({ figures, figure: 0, steps: 5, step: 1 }, -1), null);
  assert.equal(neighbour({ figures, figure: 2, steps: 5, step: 5 }, 1), null);
  assert.equal(nextFigure({ figures, figure: 2, steps: 5, step: 1 }, 1), null);
});

test("one's own figure is not left by walking through its steps, only on purpose", () => {
  const own = { figures, figure: -1, steps: 5, step: 5 };
  assert.equal(neighbour(own, 1), null);
  assert.deepEqual(neighbour({ ...own, step: 2 }, -1), { figure: null, step: 1 });
  assert.deepEqual(nextFigure(own, 1), { figure: 0, step: 1 });
});

test("a talk begins with its first slide, and Home and End lead to its ends", () => {
  const before = { figures, figure: -1, steps: 1, step: 1, isTalk: true };
  assert.deepEqual(neighbour(before, 1), { figure: 0, step: 1 });
  assert.equal(neighbour(before, -1), null);
  const within = { ...before, figure: 1 };
  assert.deepEqual(neighbour(within, 1), { figure: 2, step: 1 });
  assert.deepEqual(neighbour(within, -1), { figure: 0, step: 1 });
  assert.deepEqual(endOf(within, "Home"), { figure: 0, step: 1 });
  assert.deepEqual(endOf(within, "End"), { figure: 2, step: 1 });
  assert.equal(endOf(within, "x"), null);
  assert.equal(endOf({ ...within, isTalk: false }, "End"), null);
});

test("walking on from the beginning meets every step of every figure once", () => {
  let place = { figure: 0, step: 1 };
  const met = [];
  for (;;) {
    met.push(`${place.figure}.${place.step}`);
    const next = neighbour({ figures, steps: 2, ...place }, 1);
    if (!next) break;
    place = { figure: next.figure ?? place.figure, step: next.step };
  }
  assert.deepEqual(met, ["0.1", "0.2", "1.1", "1.2", "2.1", "2.2"]);
});

test("a key goes on, leaves, or is left to the page around a frame", () => {
  const last = { figures, figure: 2, steps: 5, step: 5 };
  const presenting = { isPresenting: true, isTyping: false, isInside: false, hasLetters: true };
  /** @param {string} pressed @param {object} [where] @param {object} [at] @param {boolean} [hasNotes] */
  const act = (pressed, where = {}, at = last, hasNotes = false) => {
    const keys = pressed.split("+");
    const event = { key: keys[keys.length - 1], shiftKey: keys.length > 1 };
    const deck = { now: () => /** @type {typeof last} */ (at), notes: () => (hasNotes ? () => undefined : null) };
    return keyAct(event, deck, { ...presenting, ...where });
  };
  const middle = { ...last, figure: 1, step: 2 };
  assert.deepEqual(act("PageDown", {}, middle), { figure: null, step: 3 });
  assert.deepEqual(act("Shift+ArrowLeft", {}, middle), { figure: 0, step: 1 });
  assert.deepEqual([act("ArrowRight"), act("ArrowRight", { isInside: true })], ["stay", null]);
  assert.deepEqual([act("Escape"), act("Escape", { isInside: true })], ["leave", null]);
  assert.deepEqual([act("Escape", { isTyping: true }), act("ArrowLeft", { isTyping: true })], ["leave", null]);
  assert.deepEqual([act("p"), act("s"), act("s", {}, last, true)], ["point", null, "notes"]);
  assert.deepEqual([act("p", { isInside: true }), act("p", { hasLetters: false })], [null, null]);
  assert.deepEqual([act("Home"), act("Home", {}, { ...last, isTalk: true })], [null, { figure: 0, step: 1 }]);
  const before = { isPresenting: false };
  assert.deepEqual(
    [act("p", before), act("p", { ...before, isTyping: true }), act("Home", before)],
    ["enter", null, null],
  );
  assert.equal(act("p", { ...before, hasLetters: false }), null);
});
