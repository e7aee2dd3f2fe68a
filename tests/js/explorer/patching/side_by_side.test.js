import assert from "node:assert/strict";
import { test } from "node:test";
import { sideBySide } from "../../../../static/js/explorer/patching/side_by_side.js";

const NONE = { text: "", token: "", start: null, end: null, special: false, segment: null, box: null, seconds: null };

/** @param {number[]} ids */
const tokens = (ids) => ids.map((id, index) => ({ ...NONE, index, id }));

/** @param {ReturnType<typeof sideBySide>} pairings */
const drawn = (pairings) =>
  pairings.map(({ clean, corrupt, isOther }) => `${clean?.id ?? "–"}${isOther ? "≠" : "="}${corrupt?.id ?? "–"}`);

test("equally many tokens stand beside each other", () => {
  const pair = { extra_clean: [], extra_corrupt: [], differing: [1] };
  assert.deepEqual(drawn(sideBySide({ clean: tokens([1, 2]), corrupt: tokens([1, 3]), ...pair })), ["1=1", "2≠3"]);
});

test("a token too many stands alone, in the middle and at the end", () => {
  const [short, long] = [tokens([1, 2, 4]), tokens([1, 9, 2, 5, 6])];
  const extra = [1, 4];
  const missing = { clean: short, corrupt: long, extra_clean: [], extra_corrupt: extra, differing: [2] };
  assert.deepEqual(drawn(sideBySide(missing)), ["1=1", "–=9", "2=2", "4≠5", "–=6"]);
  const surplus = { clean: long, corrupt: short, extra_clean: extra, extra_corrupt: [], differing: [3] };
  assert.deepEqual(drawn(sideBySide(surplus)), ["1=1", "9=–", "2=2", "5≠4", "6=–"]);
});
