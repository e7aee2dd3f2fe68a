import assert from "node:assert/strict";
import { test } from "node:test";

import { createExportRun } from "../../../../static/js/explorer/saving/export_menu.js";

/** @typedef {import("../../../../static/js/explorer/saving/export_menu.js").Tools} Tools */

/** A run whose progress is noted. */
function noted() {
  /** @type {string[]} */
  const said = [];
  const run = createExportRun(({ isRunning, message, failure }) =>
    said.push(`${isRunning ? "… " : ""}${message}${failure && `! ${failure}`}`),
  );
  return { said, run };
}

test("a file says how far it is, and that it is saved", async () => {
  const { said, run } = noted();
  await run.start({ name: "NPZ", run: async ({ onBytes }) => onBytes(3 * 2 ** 20) });
  assert.deepEqual(said, ["… NPZ: preparing …", "… NPZ: 3.0 MB", "NPZ: saved."]);
});

test("a failure is told, being cancelled is none", async () => {
  const { said, run } = noted();
  await run.start({ name: "CSV", run: async () => Promise.reject(new Error("The server cannot be reached.")) });
  assert.equal(said.at(-1), "! The server cannot be reached.");
  const aborted = (/** @type {Tools} */ { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const done = run.start({ name: "CSV", run: /** @type {(tools: Tools) => Promise<void>} */ (aborted) });
  run.cancel();
  await done;
  assert.equal(said.at(-1), "CSV: cancelled.");
});

test("of two files only the later one is told of", async () => {
  const { said, run } = noted();
  /** @type {() => void} */
  let finish = () => undefined;
  const first = run.start({ name: "A", run: () => new Promise((resolve) => (finish = () => resolve())) });
  await run.start({ name: "B", run: async () => undefined });
  finish();
  await first;
  assert.deepEqual(said, ["… A: preparing …", "… B: preparing …", "B: saved."]);
});
