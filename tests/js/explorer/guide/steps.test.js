import assert from "node:assert/strict";
import { test } from "node:test";
import { OTHER_HEAD, guideSteps } from "../../../../static/js/explorer/guide/steps.js";

const PICTURED = {
  head: "L5 H11",
  before: "L5 H11",
  layers: 6,
  heads: 12,
  query: "it",
  reason: "",
  predicts: false,
};

test("five steps speak of what is on the screen", () => {
  const steps = guideSteps(PICTURED);
  assert.deepEqual(
    steps.map(({ title }) => title),
    ["A head", "A row", "A number", "Another head", "What if"],
  );
  assert.match(steps[0].says, /72 of them, 12 in each of 6 layers.*L5 H11/);
  assert.match(steps[1].says, /“it”/);
  for (const { says, target } of steps) assert.ok(says.length < 300 && target);
});

test("the other head comes with what it does, or with the way back", () => {
  const known = { ...PICTURED, head: "L0 H2", reason: "attends to the previous token, with 1.00 on average" };
  assert.match(guideSteps(known)[OTHER_HEAD].says, /^Now L0 H2 is open\..*attends to the previous token/);
  assert.match(guideSteps({ ...PICTURED, head: "L5 H0" })[OTHER_HEAD].says, /L5 H11 is one click away/);
});

test("a model that predicts nothing is not said to", () => {
  assert.match(guideSteps({ ...PICTURED, predicts: true })[4].says, /prediction/);
  assert.doesNotMatch(guideSteps(PICTURED)[4].says, /prediction/);
});
