import assert from "node:assert/strict";
import { test } from "node:test";

import { wellFormed } from "../../../static/js/base/picture_files.js";

test("what XML cannot hold is replaced, and nothing else", () => {
  assert.equal(wellFormed("a\u0002b\u001B[1m\u0000"), "a␂b␛[1m␀");
  assert.equal(wellFormed("\uFFFE\uFFFF\uD800x\uDC00"), "\uFFFD\uFFFD\uFFFDx\uFFFD");
  const allowed = "tab\t line\n 猫 🙂 \u0085 \uFFFD \uE000 \u007F &amp; <svg/>";
  assert.equal(wellFormed(allowed), allowed);
});

test("every character of the first plane is XML 1.0's own or replaced", () => {
  const isCharacter = (/** @type {number} */ code) =>
    [0x9, 0xa, 0xd].includes(code) || (code >= 0x20 && code <= 0xd7ff) || (code >= 0xe000 && code <= 0xfffd);
  for (let code = 0; code <= 0xffff; code++) {
    const sign = String.fromCharCode(code);
    assert.equal(wellFormed(sign) === sign, isCharacter(code), code.toString(16));
  }
});
