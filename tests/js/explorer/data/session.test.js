import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError } from "../../../../static/js/requests/api_request.js";
import { createMemory } from "../../../../static/js/base/recent_values.js";
import { createSession } from "../../../../static/js/explorer/data/session.js";
import { createStore } from "../../../../static/js/base/store.js";
import { FAILURES, createNetwork } from "../../requests/simulated/network.js";

/** @typedef {import("../../../../static/js/api/types.js").Analysis} Analysis */

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

/** A session whose posts fail as a simulated server does. */
function simulated() {
  const network = createNetwork();
  const post = async (/** @type {{text: string}} */ { text }, /** @type {AbortSignal} */ signal) => {
    await network.answer(text, signal);
    return analysis(text);
  };
  return { ...network, session: createSession(/** @type {any} */ (post), network.clock.now, network.scheduler) };
}

test("a busy server is asked again after the time it names; giving up while waiting works", async () => {
  const { clock, server, session, sent } = simulated();
  server.fails = "503 with Retry-After";
  const run = session.run(A);
  await clock.pass(10);
  const { phase, retryAt, error } = session.progress.get();
  assert.deepEqual({ phase, retryAt, status: error?.status }, { phase: "waiting", retryAt: 8000, status: 503 });
  await clock.pass(6_000);
  assert.equal(sent.length, 1);
  await clock.pass(1_000);
  assert.equal(sent.length, 2);
  session.cancel();
  assert.equal(await run, null);
  assert.equal(session.progress.get().phase, "idle");
  await clock.pass(600_000);
  assert.equal(sent.length, 2);
});

for (const fails of ["unreachable", "429", "502", "503", "500"]) {
  test(`after ${fails} what was asked for comes by itself once the server is back, without a storm`, async () => {
    const { clock, server, session, sent } = simulated();
    server.fails = fails;
    const run = session.run(A);
    await clock.pass(61_000);
    assert.ok(sent.length >= 3 && sent.length <= 7, `${sent.length} requests`);
    server.fails = null;
    if (fails === "500") {
      assert.equal(session.progress.get().phase, "failed"); // computed three times: enough
      session.failure()?.retry();
    }
    await clock.pass(31_000);
    assert.equal((await run)?.id, "a");
    assert.equal(session.progress.get().phase, "done");
    assert.equal(session.failure(), null);
  });
}

test("what is asked for anew is sent at once, although the server was away a moment ago", async () => {
  const { clock, server, session, sent } = simulated();
  server.fails = "unreachable";
  void session.run(A);
  await clock.pass(20_000);
  server.fails = null;
  const before = sent.length;
  assert.equal((await session.run(B))?.id, "b");
  assert.equal(sent.length, before + 1);
});

test("what was refused for good is not sent again, but by hand", async () => {
  const { clock, server, session, sent } = simulated();
  server.fails = "404";
  assert.equal(await session.run(A), null);
  await clock.pass(600_000);
  assert.equal(sent.length, 1);
  assert.equal(session.failure()?.error, session.progress.get().error);
  server.fails = null;
  session.failure()?.retry();
  await clock.pass(1);
  assert.equal(session.progress.get().analysis?.id, "a");
});

test("an analysis that the server never keeps is posted once for each question, not in a loop", async () => {
  let posts = 0;
  let asked = 0;
  const session = createSession(async () => ((posts += 1), analysis("same")));
  await session.run(A);
  const question = async () => {
    asked += 1;
    throw new ApiError("gone", { code: "analysis_expired", status: 404 });
  };
  await assert.rejects(session.ask("same", question), /gone/);
  assert.deepEqual([posts, asked], [2, 2]);
});

test("a renewal that fails is a failure of the question, and leaves what is shown alone", async () => {
  let isFirst = true;
  const session = createSession(async () => {
    if (!isFirst) throw FAILURES["503"]();
    isFirst = false;
    return analysis("a");
  });
  await session.run(A);
  const gone = async () => {
    throw new ApiError("gone", { code: "analysis_expired", status: 404 });
  };
  await assert.rejects(session.ask("a", gone), /status 503/);
  assert.equal(session.progress.get().phase, "done");
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
  assert.deepEqual(await Promise.all([session.ask("same", question), session.ask("same", question)]), [
    "answer",
    "answer",
  ]);
  assert.equal(posts, 2);
});

test("a question about an analysis that another has replaced is about that one, and renews neither", async () => {
  let posts = 0;
  const session = createSession(async ({ text }) => ((posts += 1), analysis(text)));
  await session.run(A);
  await session.run(B);
  assert.equal(await session.ask("a", async (id) => id), "a");
  const gone = async () => {
    throw new ApiError("gone", { code: "analysis_expired", status: 404 });
  };
  await assert.rejects(session.ask("a", gone), /gone/);
  assert.equal(posts, 2);
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
