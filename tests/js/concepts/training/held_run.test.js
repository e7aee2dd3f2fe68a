import assert from "node:assert/strict";
import { test } from "node:test";

import { heldRun, packMaps, playedRun, unpackMaps } from "../../../../static/js/concepts/training/held_run.js";
import { packedSize } from "../../../../static/js/requests/packed_records.js";
import { playedFrom } from "../../../../static/js/concepts/training/run.js";
import { fields, request, settingsOf } from "../../../../static/js/concepts/training/state.js";
import { codec } from "../../../../static/js/base/fields.js";

/** @typedef {import("../../../../static/js/concepts/training/run.js").Update} Update */

const SIZE = 5;
const HEADS = 3;

/** Any bytes at and before the diagonal, 0 behind it. @param {number} seed */
function maps(seed) {
  return Uint8Array.from({ length: HEADS * SIZE * SIZE }, (_, place) => {
    const [query, key] = [Math.floor(place / SIZE) % SIZE, place % SIZE];
    return key > query ? 0 : Math.floor(1e4 * Math.abs(Math.sin(1 + seed * 78.233 + place * 12.9898))) % 256;
  });
}

/** @param {number} count */
function run(count) {
  const updates = Array.from({ length: count }, (_, index) => ({
    step: 2 * index,
    loss: 1 / (index + 1),
    accuracy: 0.5,
    seconds: index,
    scores: { previous_token: [[index, 0, 0]], induction: [[0, 0, 0]], answer: [[0, 0, 0]] },
    maps: maps(index * index),
    size: SIZE,
  }));
  const answer = { id: "x", config: { num_layers: 1, num_heads: HEADS } };
  const record = playedFrom(
    () => updates,
    () => updates,
  );
  const standing = { state: "finished", reason: null, message: null, step: 2 * count - 2 };
  return /** @type {any} */ ({ answer, standing, guess: "1", isLost: false, record });
}

test("packed maps are the same bytes, whatever they are", () => {
  const all = [0, 1, 200, 3, 77].map((seed) => ({ maps: maps(seed), size: SIZE }));
  const cells = packMaps(/** @type {Update[]} */ (all));
  assert.equal(cells.length, all.length * HEADS * ((SIZE * (SIZE + 1)) / 2));
  assert.deepEqual(
    unpackMaps(cells, all.length, { heads: HEADS, size: SIZE }),
    all.map((one) => one.maps),
  );
});

test("a held run that fits is the run, through JSON", async () => {
  const whole = run(9);
  const held = JSON.parse(JSON.stringify(await heldRun(whole, 100_000)));
  const played = playedRun(held);
  assert.deepEqual(played.record.mapped(), whole.record.all());
  assert.deepEqual(
    played.record.all().map(({ step }) => step),
    [0, 2, 4, 6, 8, 10, 12, 14, 16],
  );
  assert.deepEqual([played.answer, played.standing, played.guess], [whole.answer, whole.standing, "1"]);
});

test("a longer one keeps its curves whole, and the maps of its ends and of updates between", async () => {
  const whole = run(400);
  const most = 8_000;
  const held = await heldRun(whole, most);
  const played = playedRun(held);
  assert.equal(played.record.all().length, 400);
  const steps = played.record.mapped().map(({ step }) => step);
  assert.ok(steps.length > 2 && steps.length < 400);
  assert.deepEqual([steps[0], steps.at(-1)], [0, 798]);
  assert.ok((await packedSize(JSON.stringify(held.updates))) + (await packedSize(held.cells)) <= most);
  for (const one of played.record.mapped()) assert.deepEqual(one.maps, maps((one.step / 2) ** 2));
  // A step without maps shows those before it.
  assert.equal(played.record.at(steps[1] + 1)?.step, steps[1]);
  assert.equal(played.record.at(-5)?.step, 0);
});

test("the settings of a run make the same run", () => {
  const { read } = codec(fields);
  for (const search of [
    "",
    "?task=copy&layers=3&heads=4&kv=2&width=32&positions=alibi&rate=0.003&mlp=1&seed=7&steps=40",
  ]) {
    const state = read(search);
    const config = { num_kv_heads: state.heads, feed_forward: false, ...request(state) };
    assert.deepEqual(request({ ...read(""), ...settingsOf(/** @type {any} */ (config)) }), request(state));
  }
});
