import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { perFrame, runWaiting } from "../../../static/js/base/once_per_frame.js";

/** @type {FrameRequestCallback[]} */
let asked = [];
const before = globalThis.requestAnimationFrame;

beforeEach(() => {
  asked = [];
  globalThis.requestAnimationFrame = (callback) => asked.push(callback);
});
afterEach(() => {
  globalThis.requestAnimationFrame = before;
});

function frame() {
  for (const callback of asked.splice(0)) callback(0);
}

test("what is asked for many times is done once in the next frame", () => {
  let done = 0;
  const ask = perFrame(() => (done += 1));
  ask();
  ask();
  assert.equal(done, 0);
  frame();
  assert.equal(done, 1);
  frame();
  assert.equal(done, 1);
});

test("what asks again while it works is done in the frame after", () => {
  let done = 0;
  const ask = perFrame(() => {
    done += 1;
    if (done === 1) ask();
  });
  ask();
  frame();
  assert.equal(done, 1);
  frame();
  assert.equal(done, 2);
  frame();
  assert.equal(done, 2);
});

test("where no frame comes, as in a page off the screen, it is done all the same", () => {
  const own = globalThis.setTimeout;
  /** @type {(() => void)[]} */
  const late = [];
  const keep = (/** @type {() => void} */ task) => late.push(task);
  globalThis.setTimeout = /** @type {typeof setTimeout} */ (/** @type {unknown} */ (keep));
  let done = 0;
  perFrame(() => (done += 1))();
  globalThis.setTimeout = own;
  late[0]();
  assert.equal(done, 1);
  frame();
  assert.equal(done, 1);
});

test("what waits for a frame can be done now, with what it asks for", () => {
  let [done, further] = [0, 0];
  const askFurther = perFrame(() => (further += 1));
  const ask = perFrame(() => {
    done += 1;
    askFurther();
  });
  ask();
  runWaiting();
  assert.deepEqual([done, further], [1, 1]);
  frame();
  assert.deepEqual([done, further], [1, 1]);
});
