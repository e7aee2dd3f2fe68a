import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError } from "../../static/js/api.js";
import { createLatest, createMemory } from "../../static/js/latest.js";
import { createSession } from "../../static/js/session.js";
import { createStore } from "../../static/js/store.js";

/** @typedef {import("../../static/js/types.js").Analysis} Analysis */

/** A promise to be settled from outside, that an abort rejects. @param {AbortSignal} [signal] */
function open(signal) {
  /** @type {(value: any) => void} */
  let resolve = () => {};
  /** @type {(error: unknown) => void} */
  let reject = () => {};
  const promise = new Promise((yes, no) => ([resolve, reject] = [yes, no]));
  signal?.addEventListener("abort", () => reject(signal.reason));
  return { promise, resolve, reject };
}

/** @param {string} id */
const analysis = (id) => /** @type {Analysis} */ (/** @type {unknown} */ ({ id }));
const A = { model: "m", text: "a" };
const B = { model: "m", text: "b" };

test("a newer analysis replaces an older one, whichever answers first", async () => {
  /** @type {ReturnType<typeof open>[]} */
  const posts = [];
  const session = createSession(() => {
    posts.push(open());
    return posts[posts.length - 1].promise;
  });
  const first = session.run(A);
  const second = session.run(B);
  posts[1].resolve(analysis("b"));
  posts[0].resolve(analysis("a"));
  assert.equal(await first, null);
  assert.equal((await second)?.id, "b");
  assert.equal(session.progress.get().analysis?.id, "b");
  assert.equal(session.progress.get().phase, "done");
});

test("cancelling keeps what was shown", async () => {
  let answer = Promise.resolve(analysis("a"));
  const session = createSession((_, signal) => (signal.aborted ? answer : answer));
  await session.run(A);
  const waiting = createSession((_, signal) => open(signal).promise);
  const run = waiting.run(B);
  waiting.cancel();
  assert.equal(await run, null);
  assert.equal(waiting.progress.get().phase, "idle");
  assert.equal(waiting.progress.get().error, null);
});

test("a failure is told, and the analysis before it stays", async () => {
  const error = new ApiError("no such model", { code: "unknown_model", status: 404, field: "model" });
  const session = createSession(async ({ text }) => {
    if (text === "b") throw error;
    return analysis("a");
  });
  await session.run(A);
  await session.run(B);
  const { phase, error: told, analysis: kept, request } = session.progress.get();
  assert.deepEqual({ phase, told, kept: kept?.id, request }, { phase: "failed", told: error, kept: "a", request: A });
});

test("a busy server is asked again after the time it names; giving up while waiting works", async () => {
  let now = 5000;
  const busy = new ApiError("queue full", { code: "busy", status: 503, retryAfter: 7 });
  const session = createSession(
    async () => {
      throw busy;
    },
    () => now,
  );
  const run = session.run(A);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(session.progress.get().phase, "waiting");
  assert.equal(session.progress.get().retryAt, 12000);
  session.cancel();
  assert.equal(await run, null);
  assert.equal(session.progress.get().phase, "idle");
});

test("an expired analysis is posted once, for all who ask", async () => {
  let posts = 0;
  const session = createSession(async () => {
    posts += 1;
    return analysis("same");
  });
  await session.run(A);
  let isKept = false;
  const question = async () => {
    if (isKept || posts > 1) return "answer";
    throw new ApiError("gone", { code: "analysis_expired", status: 404 });
  };
  assert.deepEqual(await Promise.all([session.ask(question), session.ask(question)]), ["answer", "answer"]);
  assert.equal(posts, 2);
});

test("a question's stale answer is never delivered", async () => {
  /** @type {Record<string, ReturnType<typeof open>>} */
  const asked = {};
  /** @type {string[]} */
  const delivered = [];
  const latest = createLatest(
    (/** @type {string} */ name) => (asked[name] = open()).promise,
    (result) => delivered.push(result),
    (error) => assert.fail(String(error)),
  );
  const runs = [latest.ask("one"), latest.ask("two")];
  asked.two.resolve("2");
  asked.one.resolve("1");
  await Promise.all(runs);
  assert.deepEqual(delivered, ["2"]);
});

test("memory drops what was not looked at longest", () => {
  const memory = createMemory(2);
  memory.set("a", 1);
  memory.set("b", 2);
  memory.get("a");
  memory.set("c", 3);
  assert.deepEqual([memory.get("a"), memory.get("b"), memory.get("c")], [1, undefined, 3]);
});

test("a store tells only of what differs, and of its origin", () => {
  const store = createStore({ layer: 1, head: 2 });
  /** @type {unknown[]} */
  const told = [];
  const stop = store.subscribe((value, changed, origin) => told.push([value.head, [...changed], origin]));
  store.set({ layer: 1 }, "pick");
  store.set({ layer: 1, head: 3 }, "pick");
  stop();
  store.set({ head: 4 });
  assert.deepEqual(told, [[3, ["head"], "pick"]]);
  assert.ok(Object.isFrozen(store.get()));
});
