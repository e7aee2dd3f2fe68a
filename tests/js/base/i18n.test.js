import assert from "node:assert/strict";
import { test } from "node:test";

import { sentences } from "../../../static/js/base/i18n.js";

test("sentences follow each other with a space, in Japanese without one", () => {
  assert.equal(sentences(["One is said.", false, "", "Another, too."]), "One is said. Another, too.");
  assert.equal(sentences(["一つ目。", null, "二つ目(BERT base)。"]), "一つ目。二つ目(BERT base)。");
  assert.equal(sentences([undefined]), "");
});
