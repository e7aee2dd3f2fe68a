import assert from "node:assert/strict";
import { test } from "node:test";

import { createStore } from "../../../../static/js/base/store.js";
import { createHeadMeasures } from "../../../../static/js/explorer/data/head_measures.js";
import { DEFAULTS } from "../../../../static/js/explorer/state/view_state.js";

/** @typedef {Parameters<ReturnType<typeof createHeadMeasures>["take"]>} Taken */

const model = { id: "m", reads: "text", kind: "encoder", max_tokens: 512 };
const analysis = /** @type {Taken[0]} */ (
  /** @type {unknown} */ ({ id: "a", model, interventions: [], metric_info: { entropy: {} } })
);
const part = /** @type {Taken[1]} */ (
  /** @type {unknown} */ ({ name: "encoder", query_side: "source", key_side: "source", metrics: { entropy: [[1]] } })
);
const ask = (/** @type {string} */ id, /** @type {any} */ question) => question(id);

test("what nobody wants is offered, and the same offer stays the same object", () => {
  const measures = createHeadMeasures(createStore(DEFAULTS), { ask }, () => undefined);
  const first = measures.take(analysis, part, DEFAULTS);
  assert.deepEqual(
    first.offers.map(({ group, phase }) => [group.name, phase]),
    [
      ["random", "idle"],
      ["attribution", "idle"],
    ],
  );
  assert.ok(first.part === part && first.info === analysis.metric_info);
  const again = measures.take(analysis, part, DEFAULTS);
  assert.deepEqual(
    again.offers.map((offer, index) => offer === first.offers[index]),
    [true, true],
  );
  const image = /** @type {Taken[0]} */ (/** @type {unknown} */ ({ ...analysis, model: { ...model, reads: "image" } }));
  assert.deepEqual(
    measures.take(image, part, DEFAULTS).offers.map(({ group }) => group.name),
    ["attribution"],
  );
});

test("a wish for a group goes into the state and out again", () => {
  const state = createStore(DEFAULTS);
  const { choices, take } = createHeadMeasures(state, { ask }, () => undefined);
  const [{ group }] = take(analysis, part, DEFAULTS).offers;
  choices.onMeasure(group);
  assert.equal(state.get().measures, "random");
  choices.onLeave(group);
  assert.equal(state.get().measures, "");
});
