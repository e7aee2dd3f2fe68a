import assert from "node:assert/strict";
import { test } from "node:test";
import { film } from "../../../../static/js/concepts/multi_head/film.js";

/** @param {number[][]} rows  of one query, by head */
function data(rows) {
  const sizes = { d_model: 8, num_heads: rows.length, head_dim: 2, output_inputs: 8 };
  const tokens = ["a", "b", "c"];
  const answer = { tokens, weights: rows.map((row) => [row]), output: [[0]], sizes };
  return /** @type {any} */ ({ state: { view: "model", head: 0, query: 0 }, answer });
}

test("the film of a trained layer shows heads that do different things, the clearest of each", () => {
  const shots = film(data([[0.1, 0.9, 0], [0, 1, 0], [0.3, 0.3, 0.4], [0.8, 0.1, 0.1], [0, 0.3, 0.7]])); // prettier-ignore
  assert.deepEqual(
    shots.map(({ patch }) => patch.head).filter((head) => head !== undefined),
    [1, 3, 4],
    "head 1 for b, head 3 for a, head 4 for c; heads 0 and 2 say the same less clearly",
  );
  assert.match(shots[2].says, /Head 3: “a” attends most to “a”/);
});
