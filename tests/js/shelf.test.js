import assert from "node:assert/strict";
import { test } from "node:test";

import { createShelf } from "../../static/js/shelf.js";

/** A shelf whose answers are given by hand. */
function byHand() {
  /** @type {Map<string, {resolve: (value: string) => void, reject: (error: unknown) => void, signal: AbortSignal}>} */
  const asked = new Map();
  let changes = 0;
  const session = { ask: (/** @type {any} */ question) => question("id") };
  const read = (/** @type {string} */ _id, /** @type {string} */ question, /** @type {AbortSignal} */ signal) =>
    new Promise((resolve, reject) => asked.set(question, { resolve, reject, signal }));
  const shelf = createShelf(session, /** @type {any} */ (read), () => changes++, 4);
  return { asked, shelf, changes: () => changes };
}

/** Lets promises run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("what is there is given at once, the rest when it comes, nothing is asked twice", async () => {
  const { asked, shelf, changes } = byHand();
  assert.deepEqual(shelf.take("id", ["a", "b"]), [null, null]);
  asked.get("a")?.resolve("A");
  await settle();
  assert.deepEqual(shelf.take("id", ["a", "b"]), ["A", null]);
  assert.equal(asked.size, 2);
  assert.equal(changes(), 1);
});

test("what is no longer wanted is given up, and never shown", async () => {
  const { asked, shelf } = byHand();
  shelf.take("id", ["a"]);
  shelf.take("id", ["b"]);
  assert.ok(asked.get("a")?.signal.aborted);
  asked.get("a")?.resolve("late");
  await settle();
  assert.deepEqual(shelf.take("id", ["b"]), [null]);
});

test("a failure is told once, and asked again only after something else", async () => {
  const { asked, shelf, changes } = byHand();
  const error = new Error("no");
  shelf.take("id", ["a"]);
  asked.get("a")?.reject(error);
  await settle();
  assert.equal(changes(), 1);
  asked.clear();
  assert.deepEqual(shelf.take("id", ["a"]), [null]);
  assert.equal(shelf.problem(), error);
  assert.equal(asked.size, 0);
  shelf.take("id", ["b"]);
  assert.equal(shelf.problem(), null);
  shelf.take("id", ["a"]);
  assert.ok(asked.has("a"));
});
