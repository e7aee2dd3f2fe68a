import assert from "node:assert/strict";
import { test } from "node:test";

import {
  best,
  createRecord,
  decodeUpdate,
  firstFormed,
  isOver,
  mostRead,
} from "../../../../static/js/concepts/training/run.js";
import { codec } from "../../../../static/js/base/fields.js";
import { fields, guesses, isInductive, request } from "../../../../static/js/concepts/training/state.js";
import { outcome, verdict } from "../../../../static/js/concepts/training/verdict.js";

const { read, write } = codec(fields);

/** @typedef {import("../../../../static/js/concepts/training/run.js").Update} Update */
/** @typedef {import("../../../../static/js/concepts/training/verdict.js").Judged & {updates: Update[]}} Judged */

/**
 * @param {number} step
 * @param {Partial<Update> & {induction?: number[][], previous?: number[][]}} [options]
 * @returns {Update}
 */
function update(step, { induction = [[0], [0]], previous = [[0], [0]], ...rest } = {}) {
  const scores = { previous_token: previous, induction, answer: induction };
  return { step, loss: 1, accuracy: 0.5, seconds: 0, scores, maps: new Uint8Array(100), size: 2, ...rest };
}

/**
 * @param {Update[]} updates
 * @param {Record<string, any>} [config]
 * @param {Partial<Judged["standing"]>} [standing]
 * @returns {Judged}
 */
function run(updates, config = {}, standing = {}) {
  const whole = { task: "repeat", num_layers: 2, num_heads: 1, positions: "rope", steps: 300, learning_rate: 0.01 };
  const answer = /** @type {any} */ ({ config: { ...whole, ...config }, formed: 0.5, chance_loss: 3.47 });
  return { answer, updates, standing: { state: "running", reason: null, message: null, step: 0, ...standing } };
}

test("the URL holds the run and the prediction", () => {
  const state = read("?task=copy&layers=3&heads=2&kv=1&width=32&positions=alibi&rate=0.003&mlp=1&seed=7&guess=2");
  assert.deepEqual(request(state), {
    task: "copy",
    num_layers: 3,
    num_heads: 2,
    num_kv_heads: 1,
    d_model: 32,
    positions: "alibi",
    mechanism: "scaled",
    feed_forward: true,
    learning_rate: 0.003,
    steps: 300,
    seed: 7,
  });
  assert.deepEqual(read(`?${write(state)}`), state);
  assert.equal(String(write(read(""))), "");
  assert.deepEqual(request(read("?layers=99&rate=nonsense&task=add")), request(read("")));
});

test("predictions are about layers where induction is the question", () => {
  const values = (/** @type {string} */ search) => guesses(read(search)).map(([value]) => value);
  assert.deepEqual(values(""), ["0", "1", "none"]);
  assert.deepEqual(values("?task=copy&layers=3"), ["0", "1", "2", "none"]);
  assert.deepEqual(values("?task=sort"), ["learned", "partly", "not"]);
  assert.deepEqual(["repeat", "copy", "reverse", "sort", "brackets"].map(isInductive), [
    true,
    true,
    false,
    false,
    false,
  ]);
});

test("a record keeps everything while there is room, then every second, and always both ends", () => {
  const record = createRecord(1000);
  for (let step = 0; step <= 9; step++) record.add(update(step));
  assert.deepEqual(
    record.all().map((one) => one.step),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
  record.add(update(10));
  assert.deepEqual(
    record.all().map((one) => one.step),
    [0, 2, 4, 6, 8, 10],
  );
  record.add(update(11));
  record.add(update(12));
  assert.deepEqual(
    record.all().map((one) => one.step),
    [0, 2, 4, 6, 8, 10, 12],
  );
  record.add(update(12)); // told twice, after a connection was taken up again
  record.add(update(3));
  assert.deepEqual(
    record.all().map((one) => one.step),
    [0, 2, 4, 6, 8, 10, 12],
  );
  assert.equal(record.at(7)?.step, 6);
  assert.equal(record.at(-1)?.step, 0);
  assert.equal(record.newest()?.step, 12);
  assert.equal(createRecord().at(3), null);
});

test("an update's maps are its bytes", () => {
  const bytes = Uint8Array.from({ length: 2 * 3 * 4 * 4 }, (_, index) => index);
  const scores = { previous_token: [], induction: [], answer: [] };
  const maps = { dtype: /** @type {const} */ ("u1"), shape: "2,3,4,4", bdata: Buffer.from(bytes).toString("base64") };
  const decoded = decodeUpdate({ step: 5, loss: 1, accuracy: 0, seconds: 0, scores, maps });
  assert.deepEqual([decoded.step, decoded.size, [...decoded.maps]], [5, 4, [...bytes]]);
  // Layer 1, head 2, query 3: bytes (1·3 + 2)·16 + 3·4 … of which those up to the query, largest first.
  const read_ = mostRead(decoded, { layer: 1, head: 2, heads: 3 }, 3, 2);
  assert.deepEqual(read_, [
    { key: 3, weight: 95 / 255 },
    { key: 2, weight: 94 / 255 },
  ]);
  assert.deepEqual(mostRead(decoded, { layer: 0, head: 0, heads: 3 }, 0), [{ key: 0, weight: 0 }]);
});

test("the best head, and when one was first good enough", () => {
  const updates = [0.1, 0.5, 0.51, 0.2].map((score, at) =>
    update(2 * at, {
      induction: [
        [0, 0.3],
        [score, 0],
      ],
    }),
  );
  assert.deepEqual(best(updates[1], "induction"), { layer: 1, head: 0, score: 0.5 });
  assert.equal(firstFormed(updates, "induction", 0.5)?.update.step, 4);
  assert.equal(firstFormed(updates, "previous_token", 0.5), null);
});

test("which states are ends", () => {
  const states = ["starting", "running", "paused", "finished", "stopped", "failed"];
  assert.deepEqual(
    states.map((state) => isOver({ state })),
    [false, false, false, true, true, true],
  );
});

test("an induction head decides the prediction as soon as it is there", () => {
  const before = run([update(0), update(2, { induction: [[0.1], [0.4]] })]);
  assert.equal(outcome(before), null);
  assert.equal(verdict(before, "1").isRight, null);
  const formed = run([...before.updates, update(4, { induction: [[0], [0.6]], previous: [[0.7], [0]] })]);
  assert.equal(outcome(formed), "1");
  assert.equal(verdict(formed, "1").isRight, true);
  assert.equal(verdict(formed, "0").isRight, false);
  assert.equal(verdict(formed, "").isRight, null);
  assert.match(verdict(formed, "1").title, /^L1 H0 became an induction head at step 4; L1 H0 now scores 0\.60/);
  assert.match(verdict(formed, "1").says[0], /^L0 H0 attends to the previous token \(0\.70\)/);
});

test("several heads may tell together what came before", () => {
  const formed = run([update(4, { induction: [[0], [0.6]], previous: [[0.3], [0]] })]);
  assert.match(verdict(formed, "").says[0], /No lower head attends only to the previous token .* 0\.30, L0 H0/);
});

test("that all heads of a layer learn one job is said only where they do", () => {
  const all = {
    induction: [
      [0, 0],
      [0.9, 0.8],
    ],
    previous: [
      [0.9, 0.2],
      [0, 0],
    ],
  };
  assert.match(verdict(run([update(4, all)]), "").says[2], /^All 2 heads of layer 1 end up with this job/);
  const some = {
    ...all,
    induction: [
      [0, 0],
      [0.9, 0.3],
    ],
  };
  assert.equal(verdict(run([update(4, some)]), "").says.length, 2);
});

test("without an induction head the reason is the network's", () => {
  const ended = { state: /** @type {const} */ ("finished") };
  const none = [update(0, { loss: 3.5 }), update(300, { loss: 2, induction: [[0.08], [0.02]] })];
  const one = run(none, { num_layers: 1 }, ended);
  assert.equal(outcome(one), "none");
  assert.equal(verdict(one, "none").isRight, true);
  assert.match(verdict(one, "").title, /no head's score rose above 0\.08/);
  assert.match(verdict(one, "").says[0], /^With one layer it cannot/);
  assert.match(verdict(run(none, { positions: "none" }, ended), "").says[0], /^Without positions no head can pick out/);
  const half = [update(300, { loss: 1.78, accuracy: 0.497 })];
  const without = verdict(run(half, { positions: "none" }, ended), "");
  assert.match(without.title, /50 % of the answers are correct/);
  assert.match(without.says[0], /Still 50 % of the answers are correct/);
  assert.match(verdict(run(none, {}, ended), "").says[0], /^Something was learned, but/);
  const flat = [update(300, { loss: 3.45 })];
  assert.match(verdict(run(flat, {}, ended), "").says[0], /stays near chance \(3\.47\)/);
});

test("other tasks are judged by how much is right", () => {
  const ended = { state: /** @type {const} */ ("finished") };
  const sort = { task: "sort", positions: "none" };
  assert.equal(outcome(run([update(9, { accuracy: 0.96 })], sort)), "learned");
  assert.equal(outcome(run([update(9, { accuracy: 0.7 })], sort)), null);
  assert.equal(outcome(run([update(9, { accuracy: 0.7 })], sort, ended)), "partly");
  assert.equal(outcome(run([update(9, { accuracy: 0.1, loss: 3.4 })], sort, ended)), "not");
  assert.match(verdict(run([update(9, { accuracy: 1 })], sort), "learned").says[0], /^Sorting needs no positions/);
});

test("a run that fails says why, and gives no reasons for what it never tried", () => {
  const failed = run([update(2)], { learning_rate: 10 }, { state: "failed", reason: "diverged", step: 2 });
  assert.deepEqual(verdict(failed, "none").says.length, 1);
  assert.match(
    verdict(failed, "none").says[0],
    /failed after step 2: the next loss was too large to be a number.* below 10\.$/,
  );
  const seen = run([update(0, { loss: 3.61 }), update(1, { loss: 1584.7 })], failed.answer.config, failed.standing);
  assert.match(verdict(seen, "none").says[0], /after step 2 the loss is 1584\.7, from 3\.61/);
  for (const reason of /** @type {const} */ (["crashed", "time", "unwatched", "asked"])) {
    const ended = run([update(2)], {}, { state: "stopped", reason, step: 2 });
    assert.ok(verdict(ended, "").says[0].length > 20);
  }
  assert.match(verdict(run([], {}, { state: "failed", reason: "crashed" }), "").title, /before its first step/);
});
