import assert from "node:assert/strict";
import { test } from "node:test";

import { around, following, inSight, ownOutput } from "../../../../static/js/explorer/state/in_sight.js";
import { createStore } from "../../../../static/js/base/store.js";
import { DEFAULTS } from "../../../../static/js/explorer/state/view_state.js";

/** @type {import("../../../../static/js/explorer/state/in_sight.js").Seen} */
const part = { query_tokens: 300, key_tokens: 300, causal: false, query_side: "source", key_side: "source" };

test("whatever is chosen, the window has it, and is as large as before", () => {
  for (let count = 1; count <= 60; count++) {
    for (let first = 0; first < count; first += 3) {
      for (let end = first + 1; end <= count; end += 4) {
        for (let token = 0; token < count; token++) {
          const [from, to] = around([first, end], token, count);
          assert.ok(from <= token && token < to && from >= 0 && to <= count);
          assert.equal(to - from, end - first);
        }
      }
    }
  }
});

test("a window moves only for what is outside it, and then has it in its middle", () => {
  assert.deepEqual(following({ rows: "", cols: "" }, { query: 200, key: null }, part), {});
  assert.deepEqual(following({ rows: "190:210", cols: "0:20" }, { query: 200, key: null }, part), {});
  assert.deepEqual(following({ rows: "0:20", cols: "0:20" }, { query: 200, key: null }, part), { rows: "191:211" });
  assert.deepEqual(following({ rows: "0:20", cols: "0:20" }, { key: 299 }, part), { cols: "280:300" });
  assert.deepEqual(following({ rows: "0:20", cols: "0:20" }, { cell: "100.150" }, part), {
    rows: "91:111",
    cols: "141:161",
  });
  assert.deepEqual(following({ rows: "0:20", cols: "0:20" }, { query: 100, rows: "5:25" }, part), {});
  assert.deepEqual(following({ rows: "0:20", cols: "0:20" }, { cell: "" }, part), {});
});

test("under a causal mask a row is never shown where all of it is masked", () => {
  const seen = { ...part, causal: true };
  const shown = { rows: "200:220", cols: "200:220" };
  assert.deepEqual(following(shown, { query: 50, key: null }, seen), { rows: "41:61", cols: "41:61" });
  assert.deepEqual(following(shown, { query: 50, key: null }, part), { rows: "41:61" });
});

test("the store makes one change of a choice and its window", () => {
  const store = createStore({ ...DEFAULTS, rows: "0:20" });
  /** @type {string[][]} */
  const told = [];
  store.subscribe((_value, changed, origin) => told.push([origin, ...[...changed].sort()]));
  inSight(store, () => null).set({ query: 150 }, "pick");
  inSight(store, () => part).set({ query: 100, key: null }, "pick");
  assert.deepEqual(told, [
    ["pick", "query"],
    ["pick", "key", "query", "rows"],
  ]);
  assert.equal(store.get().rows, "91:111");
});

test("another query is another output, unless an output is chosen with it", () => {
  assert.deepEqual(ownOutput({ query: 3 }, { query: 5 }), { output: null });
  assert.deepEqual(ownOutput({ query: 3 }, { query: 3, key: 1 }), {});
  assert.deepEqual(ownOutput({ query: 3 }, { query: 5, output: 9 }), {});
  assert.deepEqual(ownOutput({ query: 3 }, { layer: 1 }), {});
  /** @type {import("../../../../static/js/explorer/state/view_state.js").ViewState} */
  const shown = { ...DEFAULTS, query: 3, output: 9 };
  const store = createStore(shown);
  inSight(store, () => part).set({ query: 5 }, "pick");
  assert.equal(store.get().output, null);
});
