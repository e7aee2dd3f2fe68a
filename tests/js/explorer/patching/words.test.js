import assert from "node:assert/strict";
import test from "node:test";

import { ApiError } from "../../../../static/js/requests/api_request.js";
import { introductionOf, isOfToken, refusalOf } from "../../../../static/js/explorer/patching/words.js";

/** @param {string} architecture */
const of = (architecture) => /** @type {any} */ ({ model: { architecture } });
const NONE = { corrupt: "", corruptPicture: "", changes: "" };

test("it says what the prompts are for, and that changes inside the model are left out", () => {
  const gpt2 = of("GPT2LMHeadModel");
  assert.equal(introductionOf({ ...NONE, corrupt: "A dog.", changes: "" }, gpt2), "");
  const about = introductionOf({ ...NONE, corrupt: " ", changes: "" }, gpt2);
  assert.match(about, /^Two prompts of equally many tokens[^]*the answer\.$/);
  const unchanged = "Both prompts run through the unchanged model, without the changes made above.";
  assert.equal(introductionOf({ ...NONE, corrupt: "A dog.", changes: "off-5.11" }, gpt2), unchanged);
  const both = introductionOf({ ...NONE, corrupt: "", changes: "off-5.11" }, gpt2);
  assert.match(both, /the answer\. Both prompts run through the unch/);
});

test("it says of a model without a head that it has no logits to compare", () => {
  for (const body of ["BertModel", "T5EncoderModel", "DPRContextEncoder"]) {
    assert.match(
      introductionOf({ ...NONE, corrupt: "A dog.", changes: "" }, of(body)),
      /^This model predicts no tokens/,
    );
  }
  for (const whole of ["XLMWithLMHeadModel", "BertForMaskedLM", "LlamaForCausalLM"]) {
    assert.equal(introductionOf({ ...NONE, corrupt: "A dog.", changes: "" }, of(whole)), "");
  }
});

test("of images it says that classes are compared", () => {
  const vit = /** @type {any} */ ({ model: { architecture: "ViTForImageClassification" }, image: {} });
  assert.match(introductionOf({ ...NONE, corrupt: "A dog." }, vit), /^Two images: [^]*two classes’ logits\.$/);
  assert.equal(introductionOf({ ...NONE, corruptPicture: "face" }, vit), "");
  const changed = introductionOf({ ...NONE, corruptPicture: "face", changes: "off-5.11" }, vit);
  assert.match(changed, /^Both images run through the unchanged model/);
});

test("a token that is refused is said beside its field, anything else is not", () => {
  const failure = (/** @type {string} */ code, /** @type {string} */ field, kind = "failed") =>
    /** @type {any} */ ({ kind, error: new ApiError("“ Zzyzx” is not one token", { code, field }) });
  const none = { answer: "", against: "" };
  const refused = refusalOf(failure("out_of_range", "answer"));
  assert.deepEqual(refused, { answer: "“ Zzyzx” is not one token", against: "" });
  assert.equal(isOfToken(refused), true);
  assert.deepEqual(refusalOf(failure("out_of_range", "against")), { answer: "", against: "“ Zzyzx” is not one token" });
  for (const other of [
    failure("not_comparable", "against"), // of both tokens, and of the prompts
    failure("out_of_range", "position"),
    failure("out_of_range", "answer", "slow"),
    { ...failure("", ""), error: new Error("no network") },
    null,
  ]) {
    assert.deepEqual(refusalOf(other), none);
  }
  assert.equal(isOfToken(none), false);
});
