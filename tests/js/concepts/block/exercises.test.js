import assert from "node:assert/strict";
import { test } from "node:test";

import { exercises } from "../../../../static/js/concepts/block/exercises.js";

test("answers have as many digits as somebody would write", () => {
  for (const { id, expected } of exercises()) {
    for (const value of expected) assert.match(String(value), /^-?\d+(\.\d{1,4})?$/, id);
  }
});
