import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError } from "../../../../static/js/requests/api_request.js";
import { createTileStore } from "../../../../static/js/explorer/data/tile_store.js";
import { assemble, levelOf, tilesOf } from "../../../../static/js/charts/heat_map/tiles.js";
import { createNetwork } from "../../requests/simulated/network.js";

/** @typedef {import("../../../../static/js/base/decode.js").Range} Range */
/** @typedef {import("../../../../static/js/explorer/data/tile_store.js").TileLook} TileLook */
/** @typedef {{rows: Range, cols: Range}} Window */
/** @typedef {import("../../../../static/js/base/decode.js").Matrix} Matrix */

/** @type {(row: number, col: number) => number} what stands in cell of an imagined matrix */
const value = (row, col) => Math.fround(((row * 31 + col * 17) % 1009) / 1009);

/**
 * The server's answer: cells of ceil(span / 256) tokens, the largest value in each.
 * @param {Window} window
 */
function answer({ rows, cols }) {
  const cellRows = Math.ceil((rows[1] - rows[0]) / 256);
  const cellCols = Math.ceil((cols[1] - cols[0]) / 256);
  return pooled(rows, cols, cellRows, cellCols);
}

/** @type {(rows: Range, cols: Range, cellRows: number, cellCols: number) => Matrix} */
function pooled(rows, cols, cellRows, cellCols) {
  const height = Math.ceil((rows[1] - rows[0]) / cellRows);
  const width = Math.ceil((cols[1] - cols[0]) / cellCols);
  const values = new Float32Array(height * width).fill(-Infinity);
  for (let row = rows[0]; row < rows[1]; row++) {
    for (let col = cols[0]; col < cols[1]; col++) {
      const at = Math.floor((row - rows[0]) / cellRows) * width + Math.floor((col - cols[0]) / cellCols);
      values[at] = Math.max(values[at], value(row, col));
    }
  }
  return { values, height, width, rows, cols, cellRows, cellCols };
}

const OF = { part: "decoder", layer: 0, head: 1, stage: /** @type {const} */ ("weights") };

test("cells are powers of two, at most 256 a side", () => {
  assert.deepEqual(
    [1, 256, 257, 512, 513, 16384].map((span) => levelOf(span, 16384)),
    [1, 1, 2, 2, 4, 64],
  );
});

test("a side that fits into one tile has cells just as large as it needs", () => {
  assert.deepEqual([levelOf(600, 600), levelOf(700, 1000), levelOf(300, 600), levelOf(200, 600)], [3, 4, 2, 1]);
});

test("a window touches four tiles at most, whatever the length", () => {
  for (let start = 0; start + 300 <= 16384; start += 97) {
    assert.ok(tilesOf([start, start + 300], [start, start + 256], { queries: 16384, keys: 16384 }).length <= 4);
  }
  assert.deepEqual(tilesOf([0, 16384], [0, 16384], { queries: 16384, keys: 16384 }), [
    { rows: [0, 16384], cols: [0, 16384] },
  ]);
});

test("a window from tiles is the window itself, exact and pooled, also where the matrix ends", () => {
  const size = { queries: 700, keys: 613 };
  /** @type {[[number, number], [number, number]][]} */
  const windows = [
    [
      [0, 700],
      [0, 613],
    ],
    [
      [200, 300],
      [250, 270],
    ],
    [
      [90, 601],
      [101, 613],
    ],
    [
      [512, 700],
      [300, 613],
    ],
    [
      [699, 700],
      [0, 613],
    ],
    [
      [400, 700],
      [20, 270],
    ],
  ];
  for (const [rows, cols] of windows) {
    const found = assemble(rows, cols, tilesOf(rows, cols, size).map(answer));
    const down = levelOf(rows[1] - rows[0], size.queries);
    const across = levelOf(cols[1] - cols[0], size.keys);
    const start = [Math.floor(rows[0] / down) * down, Math.floor(cols[0] / across) * across];
    const expected = pooledTo([start[0], rows[1]], [start[1], cols[1]], down, across, size);
    assert.deepEqual([found.rows, found.cols], [expected.rows, expected.cols]);
    assert.deepEqual(found.values, expected.values);
  }
});

/**
 * Cells that the window cuts through are whole, as the tiles hold them.
 * @type {(rows: Range, cols: Range, cellRows: number, cellCols: number, size: {queries: number, keys: number}) => Matrix}
 */
function pooledTo(rows, cols, cellRows, cellCols, size) {
  /** @type {(last: number, first: number, cell: number, count: number) => number} */
  const end = (last, first, cell, count) => Math.min(first + Math.ceil((last - first) / cell) * cell, count);
  const reach = [end(rows[1], rows[0], cellRows, size.queries), end(cols[1], cols[0], cellCols, size.keys)];
  return { ...pooled([rows[0], reach[0]], [cols[0], reach[1]], cellRows, cellCols), rows, cols };
}

/** A server that answers when told to. */
function held() {
  /** @type {{id: string, request: any, signal: AbortSignal, resolve: () => void, reject: (error: Error) => void}[]} */
  const asked = [];
  /** @type {(id: string, request: any, signal: AbortSignal) => Promise<Matrix>} */
  const read = (id, request, signal) =>
    new Promise((resolve, reject) =>
      asked.push({ id, request, signal, resolve: () => resolve(answer(request)), reject }),
    );
  return { asked, read };
}

/** @type {(rows: Range, cols?: Range) => TileLook} */
const lookAt = (rows, cols = [0, 100]) => ({ id: "a", of: OF, rows, cols, size: { queries: 16384, keys: 16384 } });

const next = () => new Promise((resolve) => setImmediate(resolve));

test("tiles are asked for once, kept, and put together to one object", async () => {
  const { asked, read } = held();
  let changes = 0;
  const store = createTileStore(read, () => changes++, createNetwork().scheduler);
  const look = { ...lookAt([0, 300]), size: { queries: 900, keys: 100 } };
  assert.equal(store.window(look), null);
  assert.equal(store.window(look), null);
  assert.deepEqual(
    asked.map(({ id, request }) => [id, request.rows]),
    [["a", [0, 512]]],
  );
  assert.equal(asked[0].request.maxSize, 256);
  asked[0].resolve();
  await next();
  assert.equal(changes, 1);
  const matrix = store.window(look);
  assert.ok(matrix);
  assert.equal(store.window(look), matrix);
  assert.equal(asked.length, 1);
});

test("what went out of view is given up, and its answer is not kept", async () => {
  const { asked, read } = held();
  const store = createTileStore(read, () => assert.fail("nothing wanted has arrived"), createNetwork().scheduler);
  store.look(lookAt([0, 100]));
  store.look(lookAt([5000, 5100]));
  assert.equal(asked[0].signal.aborted, true);
  assert.equal(asked[1].signal.aborted, false);
  asked[0].resolve();
  await next();
  assert.deepEqual(store.look(lookAt([0, 100])).tiles, []);
});

test("what could not be had is named, what is at hand stays, and nothing is repeated by looking", async () => {
  const { asked, read } = held();
  const { clock, scheduler } = createNetwork();
  const store = createTileStore(read, () => {}, scheduler);
  const here = lookAt([200, 300]);
  store.look(here);
  asked[0].resolve();
  asked[1].reject(new ApiError("gone", { code: "unreachable" }));
  await next();
  const seen = store.look(here);
  assert.equal(seen.tiles.length, 1);
  assert.deepEqual(seen.missing, [{ rows: [256, 512], cols: [0, 256] }]);
  assert.equal(store.look(here).missing, seen.missing);
  assert.match(String(store.failure()?.error), /gone/);
  assert.equal(asked.length, 2);
  store.look(lookAt([9000, 9100]));
  assert.equal(asked.length, 2); // the server is away: it is asked at its time, for what is then in view
  await clock.pass(1100);
  assert.deepEqual(asked[2].request.rows, [8960, 9216]);
  asked[2].resolve();
  await next();
  assert.equal(store.failure(), null);
  store.look(here);
  assert.equal(asked.length, 4);
});

test("no more tiles are kept than memory is meant for", async () => {
  const { asked, read } = held();
  const store = createTileStore(read, () => {}, createNetwork().scheduler);
  for (let tile = 0; tile < 60; tile++) {
    store.look(lookAt([tile * 256, tile * 256 + 100]));
    asked[asked.length - 1].resolve();
    await next();
  }
  const count = asked.length;
  store.look(lookAt([59 * 256, 59 * 256 + 100]));
  assert.equal(asked.length, count);
  store.look(lookAt([0, 100]));
  assert.equal(asked.length, count + 1);
});
