import assert from "node:assert/strict";
import { test } from "node:test";

import { isHeld, isStale, outOfDate, freshnessOf } from "../../../../static/js/explorer/state/freshness.js";

/** @typedef {import("../../../../static/js/explorer/state/freshness.js").Situation} Situation */

const CAT = { model: "minilm", text: "The cat sat." };
const DOG = { model: "minilm", text: "Dogs bark." };
const analysis = /** @type {any} */ ({ model: { id: "minilm", title: "MiniLM" } });

/** @param {Partial<Situation>} [more] */
const freshness = (more) =>
  freshnessOf({ shown: CAT, wanted: CAT, asked: CAT, phase: "done", message: "", analysis, ...more });

test("nothing is stale before anything is shown, nor while the same is asked for again", () => {
  assert.equal(freshness({ shown: null, analysis: null, phase: "failed" }).kind, "none");
  for (const phase of /** @type {const} */ (["done", "running", "failed", "idle"])) {
    assert.equal(freshness({ phase }).kind, "fresh", phase);
  }
  assert.equal(isStale(freshness()), false);
  assert.equal(isStale(freshness({ shown: null, analysis: null })), false);
});

test("what is typed, on its way or refused makes the picture stale at once", () => {
  /** @type {[Partial<Situation>, string, boolean][]} */
  const cases = [
    [{ wanted: DOG }, "edited", true],
    [{ wanted: DOG, asked: DOG, phase: "running" }, "running", false],
    [{ wanted: DOG, asked: DOG, phase: "waiting", message: "Away." }, "waiting", true],
    [{ wanted: DOG, asked: DOG, phase: "running", message: "Away." }, "waiting", true], // tried once more
    [{ wanted: DOG, asked: DOG, phase: "failed", message: "Too long." }, "refused", true],
    [{ wanted: DOG, asked: DOG, phase: "idle" }, "edited", true], // cancelled
    [{ wanted: { ...CAT, text: "typed on" }, asked: DOG, phase: "failed" }, "edited", true], // the refusal was of another
  ];
  for (const [situation, kind, held] of cases) {
    const found = freshness(situation);
    assert.equal(found.kind, kind);
    assert.equal(isStale(found), true);
    assert.equal(isHeld(found), held, kind);
    assert.match(found.still, /The cat sat\./);
  }
});

test("it says what is still shown and why", () => {
  const refused = { asked: DOG, wanted: DOG, phase: /** @type {const} */ ("failed"), message: "It has 612 tokens." };
  assert.equal(
    outOfDate(freshness(refused)),
    "Out of date, so it cannot be exported or shared: Still showing “The cat sat.”. The new text could not be analysed: It has 612 tokens.",
  );
  const other = { ...CAT, model: "gpt2" };
  const model = freshness({ wanted: other, asked: other, phase: "failed", message: "Not here." });
  assert.equal(model.still, "Still showing “The cat sat.” in MiniLM.");
  assert.equal(model.why, "The other model could not be used: Not here.");
  const changed = { ...CAT, changes: "off-0.1" };
  assert.equal(freshness({ wanted: changed }).still, "Still showing the unchanged model.");
  assert.equal(
    freshness({ shown: changed, asked: changed }).still,
    "Still showing the model with the previous changes.",
  );
  assert.equal(freshness({ wanted: { ...CAT, text_pair: "And?" } }).matter, "text");
  assert.match(freshness({ shown: { model: "tensors-1", text: "a b" } }).still, /your own tensors/);
});

test("a long text is told by its beginning, and no character is cut in two", () => {
  const long = { ...CAT, text: "😀".repeat(200) };
  const { still } = freshness({ shown: long });
  assert.match(still, /“(😀){60} …”/u);
});

test("a sound is called a sound, an image an image", () => {
  for (const [name, word] of [
    ["sound-tones", "sound"],
    ["night", "image"],
  ]) {
    const shown = { model: "minilm", text: "", picture: name };
    const wanted = { ...shown, picture: `${name}-other` };
    const found = freshness({ shown, wanted, asked: shown });
    assert.equal(found.still, `Still showing the previous ${word}, in MiniLM.`);
    assert.equal(found.why, `The new ${word} has not been analysed yet.`);
  }
});
