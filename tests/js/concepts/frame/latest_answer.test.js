import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { createAnswers } from "../../../../static/js/concepts/frame/latest_answer.js";
import { ApiError } from "../../../../static/js/requests/api_request.js";
import { Scheduler } from "../../../../static/js/requests/request_scheduler.js";

/** A server whose answers come when the test says so. */
function createServer() {
  /** @type {any} */ (mock.timers).enable({ apis: ["setTimeout"] });
  let now = 1000;
  mock.method(performance, "now", () => now);
  /** @type {{body: any, signal: AbortSignal, answer: (value: any) => void, refuse: (problem: any) => void}[]} */
  const asked = [];
  const post = (
    /** @type {import("../../../../static/js/api/types.js").Call} */ { body },
    /** @type {AbortSignal} */ signal,
  ) => new Promise((answer, refuse) => void asked.push({ body, signal, answer, refuse }));
  let changes = 0;
  const scheduler = new Scheduler({
    now: () => now,
    setTimer: (task, ms) => setTimeout(task, ms),
    clearTimer: (timer) => clearTimeout(/** @type {number} */ (timer)),
    random: () => 0,
    isHidden: () => false,
    reach: () => Promise.reject(new Error("down")),
  });
  const answers = createAnswers(() => (changes += 1), post, scheduler);
  return {
    asked,
    changes: () => changes,
    ask: (/** @type {number} */ x) => answers.ask([{ stem: "alibi", body: { heads: x, seq_len: 1 } }], { x }),
    wait(/** @type {number} */ ms) {
      now += ms;
      mock.timers.tick(ms);
    },
    settled: () => new Promise((resolve) => setImmediate(resolve)),
    end: () => (mock.timers.reset(), mock.restoreAll()),
  };
}

test("the last answer stays with its state until the newest is there", async () => {
  const server = createServer();
  assert.deepEqual(server.ask(1), { state: null, answers: [], isPending: true, problem: null, failure: null });
  server.wait(0);
  server.asked[0].answer("one");
  await server.settled();
  assert.equal(server.changes(), 1);
  assert.deepEqual(server.ask(1), {
    state: { x: 1 },
    answers: ["one"],
    isPending: false,
    problem: null,
    failure: null,
  });
  assert.deepEqual(server.ask(2), { state: { x: 1 }, answers: ["one"], isPending: true, problem: null, failure: null });
  server.wait(60);
  server.asked[1].answer("two");
  await server.settled();
  assert.deepEqual(server.ask(2), {
    state: { x: 2 },
    answers: ["two"],
    isPending: false,
    problem: null,
    failure: null,
  });
  assert.deepEqual(server.ask(1).answers, ["one"]); // kept, not asked again
  assert.equal(server.asked.length, 2);
  server.end();
});

test("while one is asked only the newest waits, and the one asked is shown meanwhile", async () => {
  const server = createServer();
  server.ask(1);
  server.wait(0);
  for (const x of [2, 3, 4]) server.ask(x);
  server.wait(100);
  assert.equal(server.asked.length, 1);
  server.asked[0].answer("one");
  await server.settled();
  assert.deepEqual(server.ask(4), { state: { x: 1 }, answers: ["one"], isPending: true, problem: null, failure: null });
  server.wait(60);
  assert.deepEqual(
    server.asked.map((one) => one.body.heads),
    [1, 4],
  );
  server.end();
});

test("a question that takes long is given up for a newer one, and its answer is never shown", async () => {
  const server = createServer();
  server.ask(1);
  server.wait(0);
  server.ask(2);
  server.wait(300);
  assert.equal(server.asked[0].signal.aborted, true);
  server.asked[0].answer("late");
  server.asked[1].answer("two");
  await server.settled();
  assert.deepEqual(server.ask(2).answers, ["two"]);
  server.end();
});

test("who goes back to what is shown is not overtaken by what was on its way", async () => {
  const server = createServer();
  server.ask(1);
  server.wait(0);
  server.asked[0].answer("one");
  await server.settled();
  server.ask(2);
  server.wait(60);
  assert.deepEqual(server.ask(1), {
    state: { x: 1 },
    answers: ["one"],
    isPending: false,
    problem: null,
    failure: null,
  });
  server.asked[1].answer("two");
  await server.settled();
  assert.deepEqual(server.ask(1), {
    state: { x: 1 },
    answers: ["one"],
    isPending: false,
    problem: null,
    failure: null,
  });
  server.end();
});

test("a problem leaves the last answer, and goes with the next question", async () => {
  const server = createServer();
  server.ask(1);
  server.wait(0);
  server.asked[0].answer("one");
  await server.settled();
  server.ask(2);
  server.wait(60);
  const refused = new ApiError("no", { code: "invalid", status: 422 });
  server.asked[1].refuse(refused);
  await server.settled();
  const { state, answers, isPending, problem, failure } = server.ask(2);
  assert.deepEqual(
    { state, answers, isPending, problem },
    { state: { x: 1 }, answers: ["one"], isPending: false, problem: refused },
  );
  assert.equal(failure?.retryAt, null);
  server.wait(600_000);
  assert.equal(server.asked.length, 2);
  assert.equal(server.ask(3).problem, null);
  server.wait(60);
  server.asked[2].refuse(refused);
  await server.settled();
  assert.equal(server.ask(1).problem, null);
  server.end();
});

test("what failed for now is asked again by itself, later and later, and at once on demand", async () => {
  const server = createServer();
  const away = new ApiError("away", { code: "unreachable" });
  server.ask(1);
  server.wait(0);
  for (const [index, wait] of [1000, 2000, 4000].entries()) {
    server.asked[index].refuse(away);
    await server.settled();
    assert.deepEqual([server.ask(1).problem, server.ask(1).isPending], [away, false]);
    server.wait(wait - 1);
    assert.equal(server.asked.length, index + 1);
    server.wait(1);
    assert.equal(server.asked.length, index + 2);
    assert.equal(server.ask(1).problem, away); // said until there is an answer
  }
  server.asked[3].refuse(away);
  await server.settled();
  server.ask(1).failure?.retry();
  assert.equal(server.asked.length, 5);
  server.asked[4].answer("one");
  await server.settled();
  const { answers, problem, failure } = server.ask(1);
  assert.deepEqual({ answers, problem, failure }, { answers: ["one"], problem: null, failure: null });
  server.end();
});

test("moving a slider while the server is away sends next to nothing, and the newest is what comes back", async () => {
  const server = createServer();
  const away = new ApiError("away", { code: "unreachable" });
  for (let x = 0; x < 600; x++) {
    server.ask(x);
    server.wait(100);
    server.asked.at(-1)?.refuse(away);
    await server.settled();
  }
  assert.ok(server.asked.length <= 8, `${server.asked.length} requests in a minute`);
  server.wait(31_000);
  server.asked.at(-1)?.answer("newest");
  await server.settled();
  assert.deepEqual(server.ask(599).answers, ["newest"]);
  server.end();
});
