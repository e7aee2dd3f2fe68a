import assert from "node:assert/strict";
import { test } from "node:test";

import { createAnalysisResource, createCachedResource } from "../../../static/js/requests/cached_resource.js";
import { FAILURES, createNetwork, settled } from "./simulated/network.js";

const MINUTE = 60_000;

/**
 * A resource that a page renders from: whatever changes, the same questions are wanted again at once.
 * @param {{lane?: string, kept?: number, network?: ReturnType<typeof createNetwork>}} [options]
 */
function createPage({ lane = "weights", kept = 4, network = createNetwork() } = {}) {
  /** @type {string[]} */
  let questions = [];
  let renders = 0;
  /** @type {(string | null)[]} */
  let shown = [];
  const resource = createCachedResource(
    {
      lane,
      kept,
      onChange: () => render(),
      read: (/** @type {string} */ question, signal) =>
        /** @type {Promise<string>} */ (network.answer(question, signal)),
    },
    network.scheduler,
  );
  function render() {
    renders += 1;
    shown = resource.take(questions);
  }
  return {
    ...network,
    network,
    resource,
    render,
    shown: () => shown,
    renders: () => renders,
    want(/** @type {string[]} */ ...wanted) {
      questions = wanted;
      render();
    },
  };
}

test("what is there is given at once, the rest when it comes; nothing is asked twice", async () => {
  const page = createPage();
  page.want("a", "b");
  assert.deepEqual(page.shown(), [null, null]);
  await settled();
  assert.deepEqual(page.shown(), ["answer to a", "answer to b"]);
  page.want("b", "a");
  assert.deepEqual(page.shown(), ["answer to b", "answer to a"]);
  assert.deepEqual(page.keys(), ["a", "b"]);
});

for (const fails of [...Object.keys(FAILURES), "hang"]) {
  test(`no storm while the server fails with ${fails}, however often the page renders`, async () => {
    const page = createPage();
    page.server.fails = fails;
    page.want("a");
    let most = 0;
    for (let second = 0; second < 1200; second++) {
      await page.clock.pass(1000);
      for (let frame = 0; frame < 10; frame++) page.render();
      const lastMinute = page.sent.filter(({ at }) => at > page.clock.now() - MINUTE).length;
      most = Math.max(most, lastMinute);
    }
    const isFinal = fails === "404" || fails === "422";
    assert.ok(most <= (isFinal ? 1 : 7), `${most} requests within a minute`);
    assert.ok(page.sent.length <= (isFinal ? 1 : 16), `${page.sent.length} requests in twenty minutes`);
    assert.ok(isFinal || page.sent.length >= 3, "it is tried again");
    const waits = page.sent.slice(1).map(({ at }, index) => at - page.sent[index].at);
    assert.ok(waits.every((wait) => wait >= 1000));
    if (fails === "503 with Retry-After") assert.ok(waits.every((wait) => wait >= 7000));
    assert.equal(page.resource.failure()?.kind, "failed");
    assert.equal(page.resource.failure()?.retryAt, null);
    assert.equal(page.resource.failure()?.isTrying, false);
  });
}

for (const fails of ["500", "503"]) {
  test(`after ${fails} it is tried again also where timers fire a fraction of a millisecond early`, async () => {
    const page = createPage({ network: createNetwork(0.3333) });
    page.server.fails = fails;
    page.want("a");
    await page.clock.pass(10 * MINUTE);
    assert.ok(page.sent.length >= 8, `${page.sent.length} requests`);
  });
}

test("a failure says when it is tried again", async () => {
  const page = createPage();
  page.server.fails = "503 with Retry-After";
  page.want("a");
  await settled();
  const failure = page.resource.failure();
  assert.equal(failure?.retryAt, 8000);
  assert.equal(/** @type {Error} */ (failure?.error).message, "busy");
  assert.equal(failure?.canRetry, true);
});

test("thirty that fail alike are tried again by one, and follow when it succeeds", async () => {
  const page = createPage({ kept: 40 });
  const all = Array.from({ length: 30 }, (_, index) => `tile ${index}`);
  page.server.fails = "unreachable";
  page.want(...all);
  await settled();
  assert.equal(page.sent.length, 6); // no more than are sent at once
  await page.clock.pass(40_000);
  assert.equal(page.sent.length, 6 + 5); // after 1, 2, 4, 8 and 16 s
  page.server.fails = null;
  await page.clock.pass(31_000);
  assert.deepEqual(
    page.shown(),
    all.map((key) => `answer to ${key}`),
  );
  assert.equal(page.sent.length, 6 + 5 + 30);
});

test("while the server is away, wanting something else in every frame sends next to nothing", async () => {
  const page = createPage();
  page.server.fails = "unreachable";
  for (let frame = 0; frame < 60 * 60; frame++) {
    page.want(`tile ${frame}`, `tile ${frame + 1}`);
    await page.clock.pass(1000 / 60);
  }
  assert.ok(page.sent.length <= 12, `${page.sent.length} requests`);
});

test("an error of one question keeps no other from being asked; several in a row do", async () => {
  const page = createPage();
  page.server.fails = "500";
  page.want("a");
  await settled();
  page.server.fails = null;
  page.want("a", "b");
  await settled();
  assert.deepEqual(page.shown(), [null, "answer to b"]);
  page.server.fails = "500";
  for (const key of ["c", "d", "e", "f", "g"]) {
    page.want(key);
    await settled();
  }
  assert.deepEqual(page.keys(), ["a", "b", "c", "d", "e"]);
});

test("a question that always fails does not keep those waiting that failed with it", async () => {
  const { clock, scheduler, server, answer } = createNetwork();
  const read = (/** @type {string} */ key, /** @type {AbortSignal} */ signal) =>
    key === "broken" ? Promise.reject(FAILURES["500"]()) : answer(key, signal);
  const resource = createCachedResource({ lane: "weights", kept: 4, onChange: () => undefined, read }, scheduler);
  server.fails = "500";
  resource.take(["broken", "fine"]);
  await settled();
  server.fails = null;
  await clock.pass(4_000); // the one is tried after 1 s, the other 2 s later
  assert.equal(resource.peek("fine"), "answer to fine");
  assert.equal(resource.failureOf("broken")?.kind, "failed");
});

test("what went out of view is given up, and its answer never shown", async () => {
  const page = createPage();
  page.server.fails = "hang";
  page.want("a");
  page.server.fails = null;
  page.want("b");
  await settled();
  assert.equal(page.sent[0].signal.aborted, true);
  assert.deepEqual(page.shown(), ["answer to b"]);
  assert.equal(page.resource.peek("a"), undefined);
});

test("a failure of what is wanted no more is not told, nor tried again", async () => {
  const page = createPage();
  page.server.fails = "503";
  page.want("a");
  await settled();
  page.want();
  assert.equal(page.resource.failure(), null);
  await page.clock.pass(10 * MINUTE);
  assert.equal(page.sent.length, 1);
});

test("no more answers are kept than memory is meant for", async () => {
  const page = createPage({ kept: 3 });
  for (const key of ["a", "b", "c", "a", "d"]) {
    page.want(key);
    await settled();
  }
  assert.deepEqual(page.keys(), ["a", "b", "c", "d"]);
  page.want("a");
  page.want("b"); // not looked at for longest
  await settled();
  assert.deepEqual(page.keys(), ["a", "b", "c", "d", "b"]);
});

test("an older answer never takes the place of a newer one", async () => {
  const { clock, scheduler } = createNetwork();
  /** @type {Record<string, (value: string) => void>} */
  const answers = {};
  /** @type {(string | null)[]} */
  let shown = [];
  const resource = createCachedResource(
    {
      lane: "x",
      kept: 4,
      onChange: () => (shown = resource.take(["new"])),
      read: (/** @type {string} */ key) => new Promise((resolve) => (answers[key] = resolve)),
    },
    scheduler,
  );
  resource.take(["old"]);
  resource.take(["new"]);
  answers.new("new");
  await clock.pass(10);
  answers.old("old");
  await clock.pass(10);
  assert.deepEqual(shown, ["new"]);
  assert.equal(resource.peek("old"), undefined);
});

test("Retry asks at once, for one first; on success for all, in every lane", async () => {
  const page = createPage({ kept: 20 });
  const other = createPage({ lane: "distribution", network: page.network });
  page.server.fails = "503";
  page.want("a", "b", "c");
  other.want("d");
  await page.clock.pass(10 * MINUTE);
  const before = page.sent.length;
  assert.equal(page.resource.failure()?.retryAt, null);
  page.resource.failure()?.retry();
  page.resource.failure()?.retry(); // pressed twice
  await settled();
  assert.equal(page.sent.length, before + 2); // one of each lane
  page.server.fails = null;
  page.resource.failure()?.retry();
  await settled();
  assert.equal(page.resource.failure(), null);
  assert.deepEqual(
    [...page.shown(), ...other.shown()],
    ["a", "b", "c", "d"].map((key) => `answer to ${key}`),
  );
});

test("Retry asks again for what was refused for good; nothing else does", async () => {
  const page = createPage();
  page.server.fails = "404";
  page.want("a");
  await settled();
  assert.equal(page.resource.failure()?.canRetry, true);
  page.scheduler.recover();
  page.scheduler.resume();
  await page.clock.pass(MINUTE);
  assert.equal(page.sent.length, 1);
  page.server.fails = null;
  page.resource.failure()?.retry();
  await settled();
  assert.deepEqual(page.shown(), ["answer to a"]);
});

test("the network coming back is enough", async () => {
  const page = createPage();
  const other = createPage({ lane: "distribution", network: page.network });
  page.server.fails = "unreachable";
  page.want("a", "b");
  other.want("c");
  await page.clock.pass(20_000);
  page.server.fails = null;
  const before = page.sent.length;
  page.scheduler.recover(); // the browser says `online`
  await page.clock.pass(1);
  assert.deepEqual(
    [...page.shown(), ...other.shown()],
    ["a", "b", "c"].map((key) => `answer to ${key}`),
  );
  assert.equal(page.sent.length, before + 3);
});

test("a server that was away for an hour is found when it is back, and was hardly asked meanwhile", async () => {
  const page = createPage();
  Object.assign(page.server, { fails: "unreachable", isUp: false });
  page.want("a");
  await page.clock.pass(60 * MINUTE);
  assert.equal(page.sent.length, 8);
  assert.ok(page.server.looks > 100 && page.server.looks <= 120, String(page.server.looks));
  Object.assign(page.server, { fails: null, isUp: true });
  await page.clock.pass(31_000);
  assert.deepEqual(page.shown(), ["answer to a"]);
});

test("what succeeds first brings back what waits for the same network", async () => {
  const page = createPage();
  page.server.fails = "unreachable";
  page.want("a");
  await page.clock.pass(14_000); // its next attempt is at 15 s
  const other = createPage({ lane: "distribution", network: page.network });
  other.want("b");
  await page.clock.pass(900);
  page.server.fails = null;
  await page.clock.pass(200);
  assert.deepEqual([...page.shown(), ...other.shown()], ["answer to a", "answer to b"]);
});

test("nobody looks: nothing is sent; somebody looks again: what was due is", async () => {
  const page = createPage();
  Object.assign(page.server, { fails: "502", isHidden: true });
  page.want("a");
  await page.clock.pass(60 * MINUTE);
  assert.equal(page.sent.length, 1);
  Object.assign(page.server, { fails: null, isHidden: false });
  page.scheduler.resume();
  await page.clock.pass(1);
  assert.deepEqual(page.shown(), ["answer to a"]);
});

test("who waits long is told, then it counts as no answer, and Retry sends it anew", async () => {
  const page = createPage();
  page.server.fails = "hang";
  page.want("a");
  await page.clock.pass(4_900);
  assert.equal(page.resource.failure(), null);
  await page.clock.pass(200);
  assert.equal(page.resource.failure()?.kind, "slow");
  await page.clock.pass(40_000);
  assert.equal(page.sent[0].signal.aborted, true);
  assert.equal(page.resource.failure()?.kind, "failed");
  assert.equal(
    /** @type {Error} */ (page.resource.failure()?.error).message,
    "The server has not responded for 45 seconds.",
  );
  await page.clock.pass(10_000);
  assert.equal(page.sent.length, 2);
  page.server.fails = null;
  page.resource.failure()?.retry();
  await settled();
  assert.deepEqual(page.shown(), ["answer to a"]);
});

test("what may take minutes is told of, never cut off, and keeps nothing else waiting", async () => {
  const { clock, scheduler, server, sent, answer } = createNetwork();
  const options = { lane: "attribution", kept: 20, limit: null, onChange: () => undefined };
  const slow = createCachedResource({ ...options, read: answer }, scheduler);
  const quick = createCachedResource({ ...options, lane: "weights", limit: 1000, read: answer }, scheduler);
  server.fails = "hang";
  slow.take(Array.from({ length: 8 }, (_, index) => String(index)));
  await clock.pass(10 * MINUTE);
  assert.equal(sent.length, 8);
  assert.ok(sent.every(({ signal }) => !signal.aborted));
  assert.equal(slow.failure()?.kind, "slow");
  server.fails = null;
  quick.take(["quick"]);
  await settled();
  assert.deepEqual(quick.take(["quick"]), ["answer to quick"]);
});

test("an expired analysis is renewed by whoever asks about it", async () => {
  const { scheduler, answer } = createNetwork();
  /** @type {string[]} */
  const ids = [];
  /** @type {(id: string, question: (id: string) => Promise<any>) => Promise<any>} */
  const ask = (id, question) => question(`${id}, renewed`);
  const session = { ask };
  const read = (/** @type {string} */ id, /** @type {string} */ question, /** @type {AbortSignal} */ signal) => {
    ids.push(id);
    return answer(question, signal);
  };
  const options = { lane: "weights", kept: 4, onChange: () => undefined };
  const resource = createAnalysisResource(session, read, options, scheduler);
  resource.take("expired", ["a"]);
  await settled();
  assert.deepEqual(resource.take("expired", ["a"]), ["answer to a"]);
  assert.equal(resource.peek("other", "a"), undefined);
  assert.deepEqual(ids, ["expired, renewed"]);
});
