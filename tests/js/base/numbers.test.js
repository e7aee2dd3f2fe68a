import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, fixed, lowered, rounded } from "../../../static/js/base/numbers.js";

test("bytes are said in powers of 1,024, exactly where they are whole", () => {
  const said = [0, 1, 1023, 1024, 18_432, 268_435_456, 1_610_612_736, 2_684_354_560_000].map(bytes);
  assert.deepEqual(said, ["0 B", "1 B", "1023 B", "1 KiB", "18 KiB", "256 MiB", "1.50 GiB", "2.44 TiB"]);
});

test("what rounds to 0 has no sign", () => {
  assert.deepEqual(
    [-0.004, -0.006, -0.2, -0].map((value) => fixed(value, 2)),
    ["0.00", "−0.01", "−0.20", "0.00"],
  );
  assert.equal(fixed(-0.4, 0), "0");
  assert.ok(Object.is(rounded(-0.004, 2), 0));
});

test("positions are lowered digit by digit", () => {
  assert.deepEqual([0, 12, 16_383, -3].map(lowered), ["₀", "₁₂", "₁₆₃₈₃", "₋₃"]);
});
