import assert from "node:assert/strict";
import { test } from "node:test";

import {
  EMPTY_SET,
  filled,
  linesOf,
  readSet,
  requestOfSet,
  setOf,
  slotsOf,
} from "../../../../static/js/explorer/state/prompt_set.js";

/** @type {import("../../../../static/js/explorer/state/prompt_set.js").SetText} */
const EMPTY = { ...EMPTY_SET, distinct: false };
const M = { id: "m", predicts: true, hasDecoder: false, hasChat: false };
const NAMES = { ...EMPTY, template: "{A} met {B}, {A} left", slots: "A: Ann, Bob\n{B} = Bob、Cy" };
const all = (/** @type {Partial<typeof EMPTY>} */ change) => readSet({ ...NAMES, ...change }, 200);
const written = (/** @type {ReturnType<typeof all>} */ set) => set.fillings.map((words) => filled(set.template, words));

test("lines are prompts, blank ones are not", () => {
  assert.deepEqual(linesOf(" a b \r\n\n\tc\rd"), ["a b", "c", "d"]);
  assert.deepEqual(readSet({ ...EMPTY, prompts: "a\n\nb" }, 2).prompts, ["a", "b"]);
  assert.equal(readSet({ ...EMPTY, prompts: "a\nb\nc" }, 2).problem, "3 prompts; this server accepts at most 2.");
  assert.deepEqual(requestOfSet(readSet({ ...EMPTY, prompts: "a" }, 2), M), { model: "m", prompts: ["a"] });
  assert.equal(requestOfSet(readSet(EMPTY, 2), M), null);
});

test("expected tokens are one for each prompt, or one for all, and asked only of models that predict", () => {
  const set = readSet({ ...EMPTY, prompts: "a\nb", answers: " x \n\ny" }, 9);
  assert.deepEqual([set.answers, set.problem], [["x", "y"], ""]);
  assert.deepEqual(requestOfSet(set, M), { model: "m", prompts: ["a", "b"], answers: ["x", "y"] });
  assert.deepEqual(requestOfSet(set, { ...M, predicts: false }), { model: "m", prompts: ["a", "b"] });
  assert.deepEqual(readSet({ ...NAMES, answers: "{A}" }, 9).problem, "");
  assert.equal(
    readSet({ ...EMPTY, prompts: "a\nb\nc", answers: "x\ny" }, 9).problem,
    "2 expected tokens for 3 prompts: give one for each, or one for all.",
  );
});

test("the decoder's texts and a chat template are asked only of models that have them", () => {
  const set = readSet({ ...EMPTY, prompts: "a\nb", targets: "x", promptChat: true, promptSystem: " s " }, 9);
  const plain = { model: "m", prompts: ["a", "b"] };
  assert.deepEqual(requestOfSet(set, M), plain);
  assert.deepEqual(requestOfSet(set, { ...M, hasDecoder: true }), { ...plain, target_texts: ["x"] });
  assert.deepEqual(requestOfSet(set, { ...M, hasChat: true }), { ...plain, chat: true, system_text: "s" });
  const unsaid = readSet({ ...EMPTY, prompts: "a", promptChat: true }, 9);
  assert.deepEqual(requestOfSet(unsaid, { ...M, hasChat: true }), { model: "m", prompts: ["a"], chat: true });
  assert.equal(readSet({ ...EMPTY, prompts: "a", promptSystem: "s" }, 9).system, null);
  assert.equal(
    readSet({ ...EMPTY, prompts: "a\nb\nc", targets: "x\ny" }, 9).problem,
    "2 decoder texts for 3 prompts: give one for each, or one for all.",
  );
  assert.deepEqual(setOf({ ...set, ...EMPTY_SET }), EMPTY_SET);
});

test("a template has every combination of its words, or those of a row", () => {
  assert.deepEqual(slotsOf("{A} {b2} {A} {2} {} {x y}"), ["A", "b2"]);
  assert.deepEqual(written(all({})), [
    "Ann met Bob, Ann left",
    "Ann met Cy, Ann left",
    "Bob met Bob, Bob left",
    "Bob met Cy, Bob left",
  ]);
  assert.deepEqual(written(all({ distinct: true })), [
    "Ann met Bob, Ann left",
    "Ann met Cy, Ann left",
    "Bob met Cy, Bob left",
  ]);
  assert.deepEqual(written(all({ pairing: "row" })), ["Ann met Bob, Ann left", "Bob met Cy, Bob left"]);
  const request = requestOfSet(all({ pairing: "row" }), M);
  const fillings = [
    { A: "Ann", B: "Bob" },
    { A: "Bob", B: "Cy" },
  ];
  assert.deepEqual(request, { model: "m", template: NAMES.template, fillings });
});

test("what is wrong with a template is said", () => {
  for (const [change, problem] of /** @type {[Partial<typeof EMPTY>, string][]} */ ([
    [{ template: "no slots" }, "The template has no slot: write one as {A}."],
    [{ slots: "A: Ann" }, "The slot {B} has no words."],
    [{ slots: "A: Ann\nB: ," }, "The slot {B} has no words."],
    [{ slots: "A: Ann\nwhat is this" }, "Slots, line 2: write it as A: Mary, John."],
    [{ slots: "A: a, b\nB: c", pairing: "row" }, "Word by word, all slots need as many words: {A} has 2, {B} has 1."],
    [{ slots: "A: a\nB: a", distinct: true }, "Every combination has the same word in two slots."],
  ])) {
    assert.equal(all(change).problem, problem);
    assert.equal(requestOfSet(all(change), M), null);
  }
  const many = Array.from({ length: 300 }, (_, index) => `w${index}`).join(", ");
  const found = all({ slots: `A: ${many}\nB: ${many}` });
  assert.equal(found.problem, "90000 prompts; this server accepts at most 200.");
  assert.equal(found.count, 90000);
});
