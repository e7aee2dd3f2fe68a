import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { createGestures } from "../../../../static/js/charts/heat_map/gestures.js";

/** A plot of 200 × 100 pixels at 10, 20, and what is told of the gestures over it. */
function over({ canPan = true, canWheel = true } = {}) {
  /** @type {unknown[][]} */
  const told = [];
  const tell =
    (/** @type {string} */ name) =>
    (/** @type {unknown[]} */ ...values) =>
      void told.push([name, ...values]);
  const gestures = createGestures(
    {
      area: () => ({ left: 10, top: 20, width: 200, height: 100 }),
      canPan: () => canPan,
      canWheel: () => canWheel,
      onPoint: tell("point"),
      onLeave: tell("leave"),
      onTap: tell("tap"),
      onReset: tell("reset"),
      onPan: tell("pan"),
      onZoom: tell("zoom"),
      onBox: tell("box"),
      onBoxed: tell("boxed"),
      onRest: tell("rest"),
    },
    tell("capture"),
  );
  return { gestures, told, names: () => told.map(([name]) => name).join(" ") };
}

/**
 * @param {number} clientX
 * @param {number} clientY
 * @param {Record<string, unknown>} [more]
 */
function at(clientX, clientY, more = {}) {
  return /** @type {any} */ ({
    clientX,
    clientY,
    pointerId: 1,
    pointerType: "mouse",
    button: 0,
    shiftKey: false,
    ...more,
  });
}

test("moving without a press points; leaving ends it", () => {
  const { gestures, told } = over();
  gestures.move(at(110, 45));
  gestures.leave();
  assert.deepEqual(told, [["point", 0.5, 0.25], ["leave"]]);
});

test("a press that hardly moves is a tap", () => {
  const { gestures, told } = over();
  gestures.down(at(60, 70));
  gestures.move(at(62, 72));
  gestures.up(at(60, 70));
  assert.deepEqual(told, [["tap", 0.25, 0.5]]);
});

test("other buttons begin nothing", () => {
  const { gestures, names } = over();
  gestures.down(at(60, 70, { button: 2 }));
  gestures.up(at(60, 70, { button: 2 }));
  assert.equal(names(), "");
});

test("a drag pans step by step and then rests; leaving meanwhile is nothing", () => {
  const { gestures, told } = over();
  gestures.down(at(60, 70));
  gestures.move(at(80, 70));
  gestures.leave();
  gestures.move(at(80, 60));
  gestures.up(at(80, 60));
  assert.deepEqual(told, [["capture", 1], ["leave"], ["pan", 0.1, 0], ["pan", 0, -0.1], ["rest"]]);
});

for (const [name, options, more] of /** @type {const} */ ([
  ["where all is in view", { canPan: false }, {}],
  ["with Shift", {}, { shiftKey: true }],
])) {
  test(`a drag ${name} draws a rectangle inside the plot`, () => {
    const { gestures, told } = over(options);
    gestures.down(at(110, 70, more));
    gestures.move(at(60, 500, more));
    gestures.up(at(60, 500, more));
    const box = { x: [0.25, 0.5], y: [0.5, 1] };
    assert.deepEqual(told, [["capture", 1], ["leave"], ["box", box], ["box", null], ["boxed", box], ["rest"]]);
  });
}

test("a finger draws no rectangle: the page scrolls", () => {
  const { gestures, names } = over({ canPan: false });
  gestures.down(at(110, 70, { pointerType: "touch" }));
  gestures.move(at(60, 90, { pointerType: "touch" }));
  gestures.cancel(at(60, 90, { pointerType: "touch" }));
  assert.equal(names(), "rest");
});

test("two fingers apart zoom closer around their middle, and the last one lifted rests", () => {
  const { gestures, told } = over();
  gestures.down(at(90, 70));
  gestures.down(at(130, 70, { pointerId: 2 }));
  gestures.move(at(170, 70, { pointerId: 2 }));
  assert.deepEqual(told, [
    ["pan", 0.1, 0],
    ["zoom", 0.5, 0.6, 0.5],
  ]);
  gestures.up(at(170, 70, { pointerId: 2 }));
  gestures.move(at(95, 75)); // the one that stays does nothing by itself
  gestures.up(at(95, 75));
  assert.deepEqual(told.slice(2), [["rest"]]);
});

test("a rectangle that is broken off is no rectangle", () => {
  const { gestures, names } = over({ canPan: false });
  gestures.down(at(60, 70));
  gestures.move(at(90, 90));
  gestures.cancel(at(90, 90));
  assert.equal(names(), "capture leave box box rest");
});

test("the wheel zooms where it is meant for the plot, and rests once it stops", () => {
  /** @type {any} */ (mock.timers).enable({ apis: ["setTimeout"] });
  const { gestures, told } = over();
  const turn = (/** @type {Record<string, unknown>} */ more) => gestures.wheel(at(110, 45, { deltaMode: 0, ...more }));
  assert.equal(turn({ deltaY: -240 }), true);
  assert.equal(turn({ deltaY: 1e6 }), true);
  mock.timers.tick(159);
  assert.deepEqual(told, [
    ["zoom", 0.5, 0.5, 0.25],
    ["zoom", 2, 0.5, 0.25],
  ]);
  mock.timers.tick(1);
  assert.deepEqual(told.at(-1), ["rest"]);
  mock.timers.reset();
});

test("elsewhere the wheel is the page's, but for a pinch on a touch pad", () => {
  const { gestures, told } = over({ canWheel: false });
  assert.equal(gestures.wheel(at(110, 45, { deltaY: -60, deltaMode: 0 })), false);
  assert.equal(gestures.wheel(at(110, 45, { deltaY: -60, deltaMode: 0, ctrlKey: true })), true);
  gestures.stop();
  assert.deepEqual(told, [["zoom", 0.5, 0.5, 0.25]]);
});
