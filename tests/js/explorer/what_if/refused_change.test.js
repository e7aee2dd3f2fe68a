import assert from "node:assert/strict";
import { test } from "node:test";

import { refusedChange } from "../../../../static/js/explorer/what_if/refused_change.js";

test("a change that is refused is called by its name", () => {
  const nameOf = (/** @type {any} */ { layer, head }) => `${layer}.${head}`;
  const said = refusedChange("interventions.1.layer", "off-0.1_off-99.3", nameOf);
  assert.match(said, /^“99\.3” cannot be applied/);
  assert.equal(refusedChange("interventions", "off-0.1", nameOf), "");
  assert.equal(refusedChange(null, "", nameOf), "");
});
