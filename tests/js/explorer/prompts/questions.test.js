import assert from "node:assert/strict";
import { test } from "node:test";

import { createPromptQuestions } from "../../../../static/js/explorer/prompts/questions.js";

/** @typedef {import("../../../../static/js/explorer/prompts/set_answers.js").SetAnswers} SetAnswers */

const NAMES = ["sets", "measures", "effects", "weights", "values", "cells", "cellsOfHead", "answers"];
const REQUEST = /** @type {import("../../../../static/js/explorer/state/prompt_set.js").PromptRequest} */ (
  /** @type {unknown} */ ({ model: "gpt2", prompts: ["a"], answers: ["b"] })
);
const HEAD = { layer: 2, head: 1 };
const CELL = { query: 1, key: 0 };

/** A server that has some answers. @param {Record<string, unknown>} known */
function createServer(known) {
  /** @type {Record<string, unknown[]>}  what is wanted of it */
  const wanted = {};
  const watched = /** @type {(string | null)[]} */ ([]);
  const resourceOf = (/** @type {string} */ name) => ({
    take(/** @type {{question: unknown}[]} */ asked) {
      wanted[name] = asked.map((one) => ("question" in one ? one.question : one));
      return asked.map(() => known[name] ?? null);
    },
    peek: () => known[name],
    failure: () => null,
    clear: () => delete wanted[name],
  });
  const from = /** @type {SetAnswers} */ (
    /** @type {unknown} */ (Object.fromEntries(NAMES.map((name) => [name, resourceOf(name)])))
  );
  const progress = { now: () => null, watch: (/** @type {string | null} */ id) => void watched.push(id) };
  const questions = createPromptQuestions(() => {}, from, progress);
  const take = (/** @type {"direct_effect" | undefined} */ effect = undefined) =>
    questions.take(
      REQUEST,
      () => ({ part: "decoder", align: "start", cell: CELL, effect }),
      () => HEAD,
    );
  return { questions, take, wanted, watched, known };
}

test("one answer after the other is asked for, and what comes of the rest at once", () => {
  const { take, wanted, watched, known } = createServer({});
  assert.equal(take().prompts, null);
  assert.deepEqual([Object.keys(wanted), watched], [["sets"], [null]]);

  known.sets = { id: "s1" };
  assert.deepEqual(take().prompts, { id: "s1" });
  assert.deepEqual([wanted.measures, watched.at(-1)], [[{ part: "decoder" }], "s1"]);
  assert.equal(wanted.weights, undefined);

  Object.assign(known, { measures: "m", weights: "w", cellsOfHead: { values: [0.5] } });
  const found = take();
  assert.equal(watched.at(-1), null);
  assert.deepEqual(wanted, {
    sets: [REQUEST],
    measures: [{ part: "decoder" }],
    effects: [],
    weights: [{ part: "decoder", layer: 2, head: 1, align: "start" }],
    values: [{ part: "decoder", effect: undefined, layer: 2, head: 1 }],
    cells: [{ part: "decoder", query: 1, key: 0, align: "start" }],
    cellsOfHead: [{ part: "decoder", query: 1, key: 0, align: "start", layer: 2, head: 1 }],
    answers: [null],
  });
  assert.deepEqual([found.measures, found.weights, found.cell, found.cellValues], ["m", "w", null, [0.5]]);
});

test("each head's values on an effect are asked for once the effect is there", () => {
  const { take, wanted, known } = createServer({ sets: { id: "s1" }, measures: "m" });
  take("direct_effect");
  assert.deepEqual(wanted.effects, [{ part: "decoder", effect: "direct_effect" }]);
  assert.deepEqual(wanted.values, [{ part: "decoder", effect: undefined, layer: 2, head: 1 }]);
  known.effects = "e";
  assert.equal(take("direct_effect").effects, "e");
  assert.deepEqual(wanted.values, [{ part: "decoder", effect: "direct_effect", layer: 2, head: 1 }]);
});

test("of a set that was stopped nothing is wanted, until it goes on", () => {
  const { questions, take, wanted } = createServer({ sets: { id: "s1" }, measures: "m" });
  take();
  questions.stop();
  const found = take();
  assert.deepEqual([found.prompts, found.measures, wanted], [{ id: "s1" }, null, {}]);
  assert.equal(questions.isStopped(), true);
  questions.goOn();
  assert.equal(take().measures, "m");
  assert.equal(questions.isStopped(), false);
});
