import assert from "node:assert/strict";
import test from "node:test";
import { composedWith } from "../../../../static/js/concepts/atlas/weights/circuits.js";
import { cellUnder } from "../../../../static/js/concepts/atlas/weights/composition_matrix.js";
import { mostChanged, mostMoved, spreadsOf } from "../../../../static/js/concepts/atlas/comparison.js";
import { explorerLink } from "../../../../static/js/concepts/atlas/head/explorer_link.js";
import { progressSays } from "../../../../static/js/concepts/atlas/scans/scanning.js";
import { stretchesAround } from "../../../../static/js/concepts/atlas/head/token_line.js";
import { atlasAddress } from "../../../../static/js/explorer/shell/atlas_link.js";
import { DEFAULTS } from "../../../../static/js/explorer/state/view_state.js";

test("a long window is cut to what is around query and key", () => {
  assert.deepEqual(stretchesAround(8, 1, 6), [[0, 8]]);
  assert.deepEqual(stretchesAround(100, 50, 48, 3), [[45, 54]]);
  assert.deepEqual(stretchesAround(100, 90, 5, 3), [
    [2, 9],
    [87, 94],
  ]);
});

test("a head composes with later heads as a writer and with earlier ones as a reader", () => {
  const matrix = [
    [0, 0.4],
    [0, 0],
  ];
  const none = [
    [0, 0],
    [0, 0],
  ];
  const composition = /** @type {import("../../../../static/js/api/atlases.js").Composition} */ (
    /** @type {unknown} */ ({ layers: 2, heads: 1, query: none, key: matrix, value: none })
  );
  const of = (/** @type {number} */ layer) => composedWith(composition, { layer, head: 0 });
  assert.deepEqual(of(0), [{ by: "key", layer: 1, head: 0, isWriter: true, score: 0.4 }]);
  assert.deepEqual(of(1), [{ by: "key", layer: 0, head: 0, isWriter: false, score: 0.4 }]);
});

test("what changed most is measured in units of each measure's spread", () => {
  const head = (/** @type {Record<string, [number | null, number | null]>} */ changes) =>
    /** @type {import("../../../../static/js/api/atlases.js").Comparison["heads"][number]} */ (
      /** @type {unknown} */ ({ part: "encoder", layer: 0, head: 0, moved: 1, changes })
    );
  const heads = [head({ far: [0, 4], near: [0.1, 0.3] }), head({ far: [8, 12], near: [0.1, 0.1] })];
  const spreads = spreadsOf(
    /** @type {import("../../../../static/js/api/atlases.js").Comparison} */ (/** @type {unknown} */ ({ heads })),
  );
  // far: 0, 4, 8, 12 → √20; near: 0.1, 0.3, 0.1, 0.1 → √0.0075
  assert.ok(Math.abs(spreads.far - Math.sqrt(20)) < 1e-12);
  assert.ok(Math.abs(spreads.near - Math.sqrt(0.0075)) < 1e-12);
  assert.equal(mostChanged(heads[0], spreads)?.name, "near");
  assert.equal(mostChanged(head({ far: [null, 1] }), spreads), null);
});

test("the heads that moved most come first, by shares of the farthest", () => {
  const heads = [1, 3, 2].map((moved, head) => ({ part: "encoder", layer: 0, head, moved, changes: {} }));
  const comparison = /** @type {import("../../../../static/js/api/atlases.js").Comparison} */ (
    /** @type {unknown} */ ({ heads, measures: [] })
  );
  const { heads: sorted, most } = mostMoved(comparison);
  assert.deepEqual([sorted.map(({ head }) => head), most], [[1, 2, 0], 3]);
  assert.equal(mostMoved({ ...comparison, heads: [] }).most, 1);
});

test("the cell under a pointer is that of its share of the matrix, and beside it the nearest", () => {
  const box = { left: 100, top: 200, width: 40, height: 80 };
  assert.deepEqual(cellUnder({ clientX: 125, clientY: 219 }, box, 4), { row: 0, column: 2 });
  assert.deepEqual(cellUnder({ clientX: 90, clientY: 290 }, box, 4), { row: 3, column: 0 });
});

test("an example's link opens the Explorer at its cell", () => {
  const link = explorerLink(
    { model: "m/a", at: { part: "encoder", layer: 2, head: 0 }, text: "a & b", query: 3, key: 0 },
    "ja",
  );
  assert.equal(link, "/?model=m%2Fa&part=encoder&layer=2&head=0&text=a+%26+b&query=3&key=0&lang=ja");
});

test("the Explorer's link names its head and, where the atlas can run it again, its cell", () => {
  const state = { ...DEFAULTS, model: "m", lang: "", layer: 1, head: 2, text: "cats", query: 1, key: 0 };
  const part = { name: "encoder" };
  assert.equal(atlasAddress(state, part), "/atlas?model=m&part=encoder&layer=1&head=2&text=cats&query=1&key=0");
  for (const other of [{ pair: "x" }, { changes: "x" }, { query: null }, { text: "x".repeat(2000) }]) {
    assert.equal(atlasAddress({ ...state, ...other }, part), "/atlas?model=m&part=encoder&layer=1&head=2");
  }
});

test("progress says speed and time left only while a scan goes on", () => {
  const scan = /** @type {import("../../../../static/js/api/atlases.js").ScanState} */ (
    /** @type {unknown} */ ({
      state: "running",
      shards: 4,
      shards_done: 1,
      tokens: 12345,
      tokens_per_second: 6000.4,
      seconds: 2,
      seconds_left: 9,
      yours: true,
    })
  );
  assert.equal(progressSays(scan), "scanning · 1 of 4 parts · 12,345 tokens · 6,000 tokens/s · about 9.0 s left");
  assert.match(progressSays({ ...scan, yours: false }), /about 9\.0 s left · started by somebody else$/);
  const over = progressSays({ ...scan, state: "cancelled", yours: false });
  assert.equal(over, "cancelled · 1 of 4 parts · 12,345 tokens");
});
