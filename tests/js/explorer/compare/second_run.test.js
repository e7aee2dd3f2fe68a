import assert from "node:assert/strict";
import { test } from "node:test";

import { createStore } from "../../../../static/js/base/store.js";
import { createSecondRun } from "../../../../static/js/explorer/compare/second_run.js";
import { DEFAULTS } from "../../../../static/js/explorer/state/view_state.js";

const SHOWN = { model: "bert", text: "A cat" };

/** Two sessions of which nothing runs: what the second is asked for is written down. */
function sessions() {
  /** @type {string[]} */
  const told = [];
  const idle = /** @type {import("../../../../static/js/explorer/data/session.js").Progress} */ ({
    phase: "idle",
    since: 0,
    retryAt: 0,
    error: null,
    analysis: null,
    request: null,
  });
  const first = { progress: createStore({ ...idle, request: /** @type {any} */ (SHOWN) }) };
  const second = {
    progress: createStore(idle),
    run: async (/** @type {any} */ request) => (told.push(`run ${request.model}: ${request.text}`), null),
    cancel: () => void told.push("cancel"),
    failure: () => null,
  };
  const arrive = (/** @type {any} */ request) =>
    second.progress.set({ phase: "done", request, analysis: /** @type {any} */ ({ id: "b" }) });
  return { run: createSecondRun(first, second), second, told, arrive };
}

test("what is compared with is asked for once, and given up when nothing is", () => {
  const { run, told } = sessions();
  assert.equal(run.take(DEFAULTS).wanted, null);
  assert.deepEqual(told, []);
  for (let times = 0; times < 2; times++) run.take({ ...DEFAULTS, otherText: "A dog" });
  run.take({ ...DEFAULTS, otherModel: "gpt2" });
  run.take(DEFAULTS);
  assert.deepEqual(told, ["run bert: A dog", "run gpt2: A cat", "cancel"]);
});

test("an answer counts only while it is of what is wanted", () => {
  const { run, arrive } = sessions();
  const wanted = { ...DEFAULTS, otherText: "A dog" };
  assert.equal(run.take(wanted).isBehind, true);
  arrive({ ...SHOWN, text: "A dog" });
  assert.equal(run.take(wanted).isBehind, false);
  assert.equal(run.take({ ...DEFAULTS, otherText: "A fox" }).isBehind, true);
});
