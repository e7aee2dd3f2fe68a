import assert from "node:assert/strict";
import { test } from "node:test";

import { isForHost, messagesOf } from "../../../static/js/page/frame_keys.js";
import { keptAddress, nameFor } from "../../../static/js/page/frame_state.js";

const MODIFIERS = { defaultPrevented: false, altKey: false, ctrlKey: false, metaKey: false, isComposing: false };

/**
 * @param {string} key
 * @param {{at?: string, doesScroll?: boolean, pressed?: object}} [where]  `at`: a selector that the focused element matches
 */
function goesOn(key, { at = "body", doesScroll = false, pressed = {} } = {}) {
  const matches = (/** @type {string} */ selectors) => selectors.split(", ").includes(at);
  return isForHost({ ...MODIFIERS, key, ...pressed }, { matches, doesScroll });
}

test("keys that the page does not use are the deck's", () => {
  for (const key of ["ArrowRight", "ArrowDown", " ", "PageDown", "Home", "f", "o", "b", "?", "Escape"]) {
    assert.equal(goesOn(key), true, key);
  }
});

test("a key that the page has used, a shortcut of the browser, and Tab are not", () => {
  for (const pressed of [{ defaultPrevented: true }, { ctrlKey: true }, { metaKey: true }, { isComposing: true }]) {
    assert.equal(goesOn("ArrowRight", { pressed }), false);
    assert.equal(goesOn("Escape", { pressed }), false);
  }
  assert.equal(goesOn("Tab"), false);
  assert.equal(goesOn("Shift"), false);
});

test("controls keep their keys, but not Escape, nor those of a remote control", () => {
  assert.equal(goesOn("b", { at: "textarea" }), false);
  assert.equal(goesOn("PageDown", { at: "textarea" }), false);
  assert.equal(goesOn("Escape", { at: "textarea" }), true);
  assert.equal(goesOn("ArrowRight", { at: "input" }), false);
  assert.equal(goesOn("PageDown", { at: "input" }), true);
  assert.equal(goesOn("f", { at: "input" }), true);
  assert.equal(goesOn("f", { at: "select" }), false);
  for (const key of [" ", "Enter"]) assert.equal(goesOn(key, { at: "button" }), false);
  assert.equal(goesOn("ArrowRight", { at: "button" }), true);
});

test("a page that is longer than its frame is scrolled with the keys that scroll", () => {
  assert.equal(goesOn("ArrowDown", { doesScroll: true }), false);
  assert.equal(goesOn(" ", { doesScroll: true }), false);
  assert.equal(goesOn("ArrowRight", { doesScroll: true }), true);
  assert.equal(goesOn("PageDown", { doesScroll: true }), true);
});

test("reveal.js gets the key in its own words, except one with Shift", () => {
  const right = { key: "ArrowRight", code: "ArrowRight", keyCode: 39, shiftKey: false };
  assert.deepEqual(messagesOf(right), [
    { type: "observatory:key", key: "ArrowRight", code: "ArrowRight", shiftKey: false },
    '{"method":"triggerKey","args":[39]}',
  ]);
  assert.equal(messagesOf({ ...right, shiftKey: true }).length, 1);
});

test("a frame goes on where it has been, if it is loaded from the same address again", () => {
  const name = nameFor("/embed/circle?q=45", "/embed/circle?q=90&n=3");
  assert.equal(keptAddress(name, "/embed/circle?q=45"), "/embed/circle?q=90&n=3");
  assert.equal(keptAddress(name, "/embed/rope"), null);
  assert.equal(keptAddress("the lecturer's own name", "/embed/circle?q=45"), null);
});
