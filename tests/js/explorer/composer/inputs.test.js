import assert from "node:assert/strict";
import { test } from "node:test";

import { readerOf, shownInputs } from "../../../../static/js/explorer/composer/inputs.js";

const MODELS = /** @type {any[]} */ ([
  { id: "vit", kind: "encoder", reads: "image", available: false },
  { id: "deit", kind: "encoder", reads: "image", available: true },
  { id: "clip", kind: "encoder", reads: "image", available: true },
  { id: "whisper", kind: "encoder_decoder", reads: "sound", available: true },
]);

test("an image goes to the chosen model, or to the first that reads images and is there", () => {
  assert.equal(readerOf("image", MODELS, "clip")?.id, "clip");
  assert.equal(readerOf("image", MODELS, "vit")?.id, "deit");
  assert.equal(readerOf("sound", MODELS, "clip")?.id, "whisper");
  assert.equal(readerOf("sound", MODELS.slice(0, 3), "clip"), undefined);
});

/** @param {string} picture @param {object} [more] */
const shown = (picture, more) =>
  shownInputs(
    { picture, model: "whisper" },
    { isBusy: false, problem: null, refusal: "", analysis: null, models: MODELS, ...more },
  );

test("either the image or the sound is shown, and neither beside a text", () => {
  assert.deepEqual(shown(""), { image: null, sound: null });
  assert.deepEqual(shown("face"), { image: { picture: "face", isBusy: false, problem: "" }, sound: null });
  const { image, sound } = shown("sound-vowels", { analysis: { id: "a", sound: { bands: 80 } } });
  assert.equal(image, null);
  assert.deepEqual([sound?.canTranscribe, sound?.id, sound?.sound], [true, "a", { bands: 80 }]);
});

test("beside an image stands what was refused here, else what the server says of the image", () => {
  const problem = { message: "too small", field: "image" };
  assert.equal(shown("face", { problem }).image?.problem, "too small");
  assert.equal(shown("face", { problem: { ...problem, field: "text" } }).image?.problem, "");
  assert.equal(shown("face", { problem, refusal: "no image" }).image?.problem, "no image");
});
