import assert from "node:assert/strict";
import { test } from "node:test";

import { createArrangedRollout } from "../../../../static/js/explorer/rollout/arranged.js";
import { obstaclesTo } from "../../../../static/js/explorer/rollout/questions.js";
import { DEFAULTS } from "../../../../static/js/explorer/state/view_state.js";

const TOKENS = ["[CLS]", "a", "b", "[SEP]"].map((text, index) => ({
  index,
  id: index,
  text,
  token: text,
  start: null,
  end: null,
  segment: 0,
  special: text.startsWith("["),
}));
const scene = /** @type {Parameters<ReturnType<typeof createArrangedRollout>>[0]} */ (
  /** @type {unknown} */ ({
    value: { ...DEFAULTS, layer: 1, query: 2, key: 1, hide: true, cols: "1:2", rows: "" },
    part: { layers: 2, allowed_keys: null },
    keys: TOKENS,
    pointed: { query: 1, key: 2 },
    palette: { weights: { plain: "plain", faint: "faint" } },
  })
);
const answers = {
  rollout: Float32Array.from([1, 2, 3, 4, 5, 6, 7, 8]),
  means: null,
  flow: Float32Array.from([0.1, 0.2, 0.3, 0.4]),
  matrix: {
    values: Float32Array.from({ length: 16 }, (_, index) => index),
    height: 4,
    width: 4,
    rows: null,
    cols: null,
  },
  noFlow: "",
  noWhole: "",
};

test("hidden tokens leave the numbers of both views, and what is chosen is named by its place", () => {
  const take = createArrangedRollout();
  const given = /** @type {Parameters<typeof take>[1]} */ (/** @type {unknown} */ (answers));
  const { keys, chosen, whole } = take(scene, given);
  assert.deepEqual(
    chosen.keys.map(({ text }) => text),
    ["a", "b"],
  );
  assert.deepEqual([...(chosen.rollout ?? [])], [2, 3, 6, 7]);
  assert.equal(chosen.means, null);
  assert.deepEqual([...(chosen.flow ?? [])], [...Float32Array.from([0.2, 0.3])]);
  assert.deepEqual([chosen.token.text, chosen.key, chosen.pointed, chosen.cols], ["b", 0, 1, [0, 1]]);
  assert.deepEqual([...(whole.matrix?.values ?? [])], [5, 6, 9, 10]);
  assert.deepEqual([whole.query, whole.key, whole.pointed, whole.rows], [1, 0, { query: 0, key: 1 }, [0, 2]]);
  const again = take(scene, given);
  assert.ok(again.keys === keys && again.chosen.rollout === chosen.rollout && again.whole.matrix === whole.matrix);
});

test("a text that is too long for flow or for all queries says so, and nothing before that is known", () => {
  const most = { maxFlow: 1000, maxWhole: 2000 };
  assert.deepEqual(obstaclesTo(null, 5000), { noFlow: "", noWhole: "" });
  assert.deepEqual(obstaclesTo(most, 1000), { noFlow: "", noWhole: "" });
  assert.match(obstaclesTo(most, 1001).noFlow, /up to 1,000 tokens; this text has 1,001/);
  assert.equal(obstaclesTo(most, 2000).noWhole, "");
  assert.match(obstaclesTo(most, 2001).noWhole, /up to 2,000 tokens; this text has 2,001/);
});
