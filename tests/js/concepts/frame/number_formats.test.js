import assert from "node:assert/strict";
import { test } from "node:test";

import { rounding } from "../../../../static/js/concepts/frame/number_formats.js";

test("halves are rounded to even, as the formats' definitions have it", () => {
  const half = rounding("float16");
  // Between 1 and 2 float16 has steps of 2^-10, bfloat16 of 2^-7.
  const step = 2 ** -10;
  assert.equal(half(1 + step / 2), 1);
  assert.equal(half(1 + 1.5 * step), 1 + 2 * step);
  assert.equal(half(-1 - 1.5 * step), -1 - 2 * step);
  assert.equal(half(65_519), 65_504);
  assert.equal(half(-65_520), -Infinity);
  assert.equal(half(2 ** -24), 2 ** -24);
  assert.equal(half(2 ** -25), 0);
  assert.equal(half(-Infinity), -Infinity);
  const brain = rounding("bfloat16");
  assert.equal(brain(1 + 2 ** -8), 1);
  assert.equal(brain(-1e5), -99_840);
  assert.equal(rounding("float32")(0.1), Math.fround(0.1));
  assert.equal(rounding("float64")(0.1), 0.1);
});
