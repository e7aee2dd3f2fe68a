import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { perFrame } from "../../../static/js/base/once_per_frame.js";

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
