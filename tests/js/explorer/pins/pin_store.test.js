import assert from "node:assert/strict";
import { test } from "node:test";

import { createPinStore } from "../../../../static/js/explorer/pins/pin_store.js";
import { writePins } from "../../../../static/js/explorer/pins/pins.js";

const A = { address: "?model=a", title: "A" };
const B = { address: "?model=b", title: "B" };
/** @param {ReturnType<typeof createPinStore>} store */
const titles = ({ get }) => get().pins.map(({ title }) => title);

test("a second press on the same view removes its pin, and that can be undone once", () => {
  const store = createPinStore();
  store.toggle(A);
  store.toggle(B);
  assert.deepEqual([titles(store), store.isPinned(A.address), store.get().before], [["A", "B"], true, null]);
  store.toggle(A);
  assert.deepEqual(
    [titles(store), store.isPinned(A.address), store.get().message],
    [["B"], false, "The pin was removed."],
  );
  store.undo();
  assert.deepEqual([titles(store), store.get().before, store.get().message], [["A", "B"], null, ""]);
  store.undo();
  assert.deepEqual(titles(store), ["A", "B"]);
});

test("names, notes and order change nothing else, and take the way back away", () => {
  const store = createPinStore();
  store.toggle(A);
  store.toggle(B);
  store.remove(B.address);
  store.undo();
  store.name(A.address, "first");
  store.note(B.address, "say this");
  store.move(A.address, 1);
  assert.deepEqual(
    store.get().pins.map(({ title, name, note }) => [title, name, note]),
    [
      ["B", "", "say this"],
      ["A", "first", ""],
    ],
  );
  store.clear();
  assert.deepEqual(titles(store), []);
  store.name(A.address, "first");
  assert.equal(store.get().before, null);
});

test("a file adds what is not there, and anything else changes nothing", async () => {
  const store = createPinStore();
  store.toggle(A);
  const pins = [A, B].map((shown) => ({ ...shown, name: "", note: "", at: "" }));
  await store.open(new File([writePins(pins)], "pins.json"));
  assert.deepEqual([titles(store), store.get().message], [["A", "B"], "Pins added: 1"]);
  store.undo();
  assert.deepEqual(titles(store), ["A"]);
  await store.open(new File(["{}"], "other.json"));
  assert.deepEqual([titles(store), store.get().message], [["A"], "other.json is not a file of pins."]);
});

test("a browser that stores nothing is told so", () => {
  const store = createPinStore();
  assert.equal(store.get().isKept, false);
  store.toggle(A);
  assert.deepEqual([titles(store), store.get().isKept], [["A"], false]);
});
