import assert from "node:assert/strict";
import { test } from "node:test";

import { effectsCsv, effectsJson } from "../../../../static/js/explorer/patching/effects_file.js";

const tokens = ["A", ' "b"', ","].map((text, index) => ({ index, text }));
const found = /** @type {(more: object) => any} */ (more) => ({
  ...{ effects: [[0.25, -1, 0], [1, 0.5, 1e-7]], clean: { tokens } }, // prettier-ignore
  ...more,
});

test("one line a layer, one column a head", () => {
  const lines = ['"layer \\ head","0","1","2"', '"0",0.25,-1,0', '"1",1,0.5,1e-7', ""];
  assert.equal(effectsCsv(found({ by: "head" })), `\ufeff${lines.join("\r\n")}`);
  assert.equal(effectsCsv(found({ fixed: "logits" })), `\ufeff${lines.join("\r\n")}`, "paths are between heads");
});

test("positions are named by their tokens, quoted", () => {
  const [first] = effectsCsv(found({ by: "position" }))
    .slice(1)
    .split("\r\n");
  assert.equal(first, '"layer \\ position","0 A","1  ""b""","2 ,"');
  const [bare] = effectsCsv(found({ by: "position", clean: { tokens: tokens.slice(1) } }))
    .slice(1)
    .split("\r\n");
  assert.equal(bare, '"layer \\ position","0","1","2"', "the encoder’s positions are not the target’s tokens");
});

test("JSON holds question and answer", () => {
  const request = { clean: "a", corrupt: "b" };
  assert.deepEqual(JSON.parse(effectsJson(found({}), request)), { request, answer: found({}) });
});
