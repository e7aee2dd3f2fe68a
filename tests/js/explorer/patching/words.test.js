import assert from "node:assert/strict";
import test from "node:test";

import { introductionOf } from "../../../../static/js/explorer/patching/words.js";

test("it says what the prompts are for, and that changes inside the model are left out", () => {
  assert.equal(introductionOf({ corrupt: "A dog.", changes: "" }), "");
  assert.match(introductionOf({ corrupt: " ", changes: "" }), /^Two prompts of equally many tokens[^]*the answer\.$/);
  const unchanged = "Both prompts run through the unchanged model, without the changes made above.";
  assert.equal(introductionOf({ corrupt: "A dog.", changes: "off-5.11" }), unchanged);
  assert.match(introductionOf({ corrupt: "", changes: "off-5.11" }), /the answer\. Both prompts run through the unch/);
});
