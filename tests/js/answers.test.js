import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { createAnswers } from "../../static/js/answers.js";

/** A server whose answers come when the test says so. */
function createServer() {
  /** @type {any} */ (mock.timers).enable({ apis: ["setTimeout"] });
  let now = 1000;
  mock.method(performance, "now", () => now);
  /** @type {{body: any, signal: AbortSignal, answer: (value: any) => void, refuse: (problem: any) => void}[]} */
  const asked = [];
  const post = (/** @type {string} */ _stem, /** @type {any} */ body, /** @type {AbortSignal} */ signal) =>
    new Promise((answer, refuse) => void asked.push({ body, signal, answer, refuse }));
  let changes = 0;
  const answers = createAnswers(() => (changes += 1), post);
  return {
    asked,
    changes: () => changes,
    ask: (/** @type {number} */ x) => answers.ask([{ stem: "rope", body: { x } }], { x }),
    again: answers.again,
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
  assert.deepEqual(server.ask(1), { state: null, answers: [], isPending: true, problem: null });
  server.wait(0);
  server.asked[0].answer("one");
  await server.settled();
  assert.equal(server.changes(), 1);
  assert.deepEqual(server.ask(1), { state: { x: 1 }, answers: ["one"], isPending: false, problem: null });
  assert.deepEqual(server.ask(2), { state: { x: 1 }, answers: ["one"], isPending: true, problem: null });
  server.wait(60);
  server.asked[1].answer("two");
  await server.settled();
  assert.deepEqual(server.ask(2), { state: { x: 2 }, answers: ["two"], isPending: false, problem: null });
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
  assert.deepEqual(server.ask(4), { state: { x: 1 }, answers: ["one"], isPending: true, problem: null });
  server.wait(60);
  assert.deepEqual(
    server.asked.map((one) => one.body.x),
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
  assert.deepEqual(server.ask(1), { state: { x: 1 }, answers: ["one"], isPending: false, problem: null });
  server.asked[1].answer("two");
  await server.settled();
  assert.deepEqual(server.ask(1), { state: { x: 1 }, answers: ["one"], isPending: false, problem: null });
  server.end();
});

test("a problem leaves the last answer, goes with the next question, and may be tried again", async () => {
  const server = createServer();
  server.ask(1);
  server.wait(0);
  server.asked[0].answer("one");
  await server.settled();
  server.ask(2);
  server.wait(60);
  server.asked[1].refuse("no");
  await server.settled();
  assert.deepEqual(server.ask(2), { state: { x: 1 }, answers: ["one"], isPending: false, problem: "no" });
  server.again();
  server.asked[2].answer("two");
  await server.settled();
  assert.deepEqual(server.ask(2), { state: { x: 2 }, answers: ["two"], isPending: false, problem: null });
  server.ask(3);
  server.wait(60);
  server.asked[3].refuse("no");
  await server.settled();
  assert.equal(server.ask(1).problem, null);
  server.end();
});
