import assert from "node:assert/strict";
import { test } from "node:test";

import { createHubSearch } from "../../../../static/js/explorer/data/hub_search.js";
import { ApiError } from "../../../../static/js/requests/api_request.js";

const found = (/** @type {string} */ id) => /** @type {any} */ ({ id });

test("a part of an id is searched for, a whole id is looked at, nothing is not asked", async () => {
  /** @type {string[]} */
  const asked = [];
  const hub = createHubSearch(() => undefined, {
    search: async (query) => (asked.push(`search ${query}`), [found("a/gpt2")]),
    preview: async (model) => (asked.push(`preview ${model}`), found(model)),
  });
  await hub.ask("  ");
  assert.equal(hub.now().phase, "idle");
  await hub.ask(" gpt2 ");
  assert.deepEqual(hub.now(), { query: "gpt2", phase: "done", models: [found("a/gpt2")], message: "", previews: {} });
  await hub.ask("owner/some.model-1");
  assert.deepEqual(hub.now().models, [found("owner/some.model-1")]);
  assert.deepEqual(asked, ["search gpt2", "preview owner/some.model-1"]);
});

test("only the newest question is answered, and a refusal is said", async () => {
  /** @type {(value: any) => void} */
  let answerFirst = () => undefined;
  const hub = createHubSearch(() => undefined, {
    search: (query) =>
      query === "slow"
        ? new Promise((resolve) => (answerFirst = resolve))
        : Promise.reject(new ApiError("switched off", { code: "model_unavailable", status: 409 })),
    preview: async () => found("x"),
  });
  const first = hub.ask("slow");
  assert.equal(hub.now().phase, "asking");
  await hub.ask("second");
  answerFirst([found("late")]);
  await first;
  const failed = { query: "second", phase: "failed", models: [], message: "switched off", previews: {} };
  assert.deepEqual(hub.now(), failed);
});

test("what a model is, is asked once, and again only if there was no answer", async () => {
  const silence = new ApiError("no answer", { code: "model_unavailable", status: 409 });
  const answers = [Promise.reject(silence), Promise.resolve(found("a/gpt2"))];
  let asked = 0;
  const hub = createHubSearch(() => undefined, {
    search: async () => [found("a/gpt2")],
    preview: () => answers[asked++],
  });
  const looking = hub.look("a/gpt2");
  assert.equal(hub.now().previews["a/gpt2"].phase, "asking");
  await hub.look("a/gpt2");
  await looking;
  assert.deepEqual(hub.now().previews["a/gpt2"], { phase: "failed", facts: null, message: "no answer" });
  await hub.ask("gpt2");
  await hub.look("a/gpt2");
  await hub.look("a/gpt2");
  assert.equal(asked, 2);
  assert.deepEqual(hub.now().previews["a/gpt2"], { phase: "done", facts: found("a/gpt2"), message: "" });
  assert.deepEqual(hub.now().models, [found("a/gpt2")]);
});
