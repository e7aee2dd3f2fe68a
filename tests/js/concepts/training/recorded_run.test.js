import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { playedRun } from "../../../../static/js/concepts/training/held_run.js";
import { best, mapOf } from "../../../../static/js/concepts/training/run.js";
import { request, settingsOf } from "../../../../static/js/concepts/training/state.js";

const FILE = new URL("../../../../static/course/recorded_run.json", import.meta.url);
const WHOLE = 255;

test("the recorded run plays as any held run does, and its maps are weights", async () => {
  const run = playedRun(JSON.parse(await readFile(FILE, "utf8")));
  assert.equal(run.answer.config.task, "sort");
  assert.equal(run.standing.state, "finished");
  const steps = run.record.all().map(({ step }) => step);
  assert.deepEqual([steps[0], steps.at(-1)], [0, run.answer.config.steps]);
  assert.equal(run.record.newest()?.step, run.answer.config.steps);
  const { num_layers: layers, num_heads: heads } = run.answer.config;
  for (const update of run.record.mapped()) {
    for (let head = 0; head < layers * heads; head++) {
      const map = mapOf(update, { heads, layer: Math.floor(head / heads), head: head % heads });
      for (let query = 0; query < update.size; query++) {
        const row = map.subarray(query * update.size, (query + 1) * update.size);
        const sum = row.reduce((total, one) => total + one, 0);
        assert.ok(Math.abs(sum - WHOLE) <= update.size / 2, `${update.step} ${head} ${query}: ${sum}`);
        assert.ok(row.subarray(query + 1).every((one) => one === 0));
      }
    }
  }
});

test("it learns: the loss falls far below that of guessing, and its settings can be run again", async () => {
  const run = playedRun(JSON.parse(await readFile(FILE, "utf8")));
  const all = run.record.all();
  assert.ok(Math.abs(all[0].loss - run.answer.chance_loss) < 1);
  assert.ok(all[all.length - 1].loss < run.answer.chance_loss / 2);
  assert.ok(best(all[all.length - 1], "answer").score > 2 * best(all[0], "answer").score);
  const again = request(/** @type {any} */ (settingsOf(run.answer.config)));
  assert.equal(again.task, run.answer.config.task);
  assert.equal(again.steps, run.answer.config.steps);
});
