import assert from "node:assert/strict";
import { test } from "node:test";

import {
  firstStretch,
  nextStretch,
  stretchTo,
  wayNearEnd,
} from "../../../../static/js/explorer/tokens/strip_window.js";

test("a short text stands whole, a long one in stretches of 512", () => {
  assert.deepEqual(firstStretch(13), [0, 13]);
  assert.deepEqual(firstStretch(16384), [0, 512]);
});

test("the stretch moves by halves and stops at the ends", () => {
  assert.deepEqual(nextStretch([0, 512], 1, 16384), [256, 768]);
  assert.deepEqual(nextStretch([256, 768], -1, 16384), [0, 512]);
  assert.deepEqual(nextStretch([100, 612], -1, 16384), [0, 512]);
  assert.deepEqual(nextStretch([15800, 16312], 1, 16384), [15872, 16384]);
});

test("a stretch stays while the token is in it, else lies around the token", () => {
  const stretch = /** @type {[number, number]} */ ([256, 768]);
  assert.equal(stretchTo(stretch, 256, 16384), stretch);
  assert.deepEqual(stretchTo(stretch, 768, 16384), [512, 1024]);
  assert.deepEqual(stretchTo(stretch, 16383, 16384), [15872, 16384]);
  assert.deepEqual(stretchTo(stretch, 3, 16384), [0, 512]);
});

test("near an end of what scrolls comes the next stretch, if there is one", () => {
  const column = {
    scrollTop: 500,
    scrollHeight: 1000,
    clientHeight: 300,
    scrollLeft: 0,
    scrollWidth: 9,
    clientWidth: 9,
  };
  const way = (/** @type {number} */ scrollTop, /** @type {[number, number]} */ stretch) =>
    wayNearEnd({ ...column, scrollTop }, false, stretch, 1024);
  assert.equal(way(500, [256, 768]), 0);
  assert.equal(way(581, [256, 768]), 1, "119 pixels are left");
  assert.equal(way(581, [512, 1024]), 0, "the text ends here");
  assert.equal(way(119, [256, 768]), -1);
  assert.equal(way(119, [0, 512]), 0);
});

test("a row that runs to the left scrolls to negative numbers", () => {
  const row = { scrollTop: 0, scrollHeight: 9, clientHeight: 9, scrollLeft: -600, scrollWidth: 1000, clientWidth: 300 };
  assert.equal(wayNearEnd(row, true, [0, 512], 1024), 1);
  assert.equal(wayNearEnd({ ...row, scrollLeft: -100 }, true, [256, 768], 1024), -1);
});
