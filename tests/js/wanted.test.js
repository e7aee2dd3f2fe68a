import assert from "node:assert/strict";
import { test } from "node:test";

import { isSame, requestOf } from "../../static/js/analyst.js";

/** @typedef {import("../../static/js/types.js").ViewState} ViewState */

const plain = { model: "m", text: "a", pair: "", target: "", picture: "", changes: "", baseline: "" };
/** @param {object} more */
const asked = (more = {}) => requestOf(/** @type {ViewState} */ (/** @type {unknown} */ ({ ...plain, ...more })));

test("requests are the same when every text is", () => {
  const all = { text: "b", pair: "c", target: "d", changes: "off:0.1" };
  assert.equal(isSame(asked(), asked()), true);
  assert.equal(isSame(asked(all), asked({ ...all })), true);
  assert.equal(isSame(asked({ picture: "one" }), asked({ picture: "one", text: "unread" })), true);
});

test("any other text, one more or one fewer makes another request", () => {
  const changed = [{ model: "n" }, { text: "b" }, { pair: "c" }, { target: "d" }, { picture: "e" }, { changes: "f" }];
  for (const one of changed) {
    assert.equal(isSame(asked(), asked(one)), false, JSON.stringify(one));
    assert.equal(isSame(asked(one), asked()), false, JSON.stringify(one));
  }
  assert.equal(isSame(asked({ pair: "x" }), asked({ target: "x" })), false);
});
