/** Numbers rounded to the formats that networks compute in, halves to even, as torch does by way of float32. */

/** @typedef {{least: number, digits: number, most: number}} Format  smallest exponent, digits behind the first bit, largest number */

/** @type {Record<"float16" | "bfloat16", Format>} */
const FORMATS = {
  float16: { least: -14, digits: 10, most: 65_504 },
  bfloat16: { least: -126, digits: 7, most: 3.3895313892515355e38 },
};

/** @param {"float16" | "bfloat16" | "float32" | "float64"} precision @returns {(value: number) => number} */
export function rounding(precision) {
  if (precision === "float64") return (value) => value;
  if (precision === "float32") return Math.fround;
  const format = FORMATS[precision];
  return (value) => halved(Math.fround(value), format);
}

/** @param {number} value @param {Format} format */
function halved(value, { least, digits, most }) {
  if (value === 0 || !Number.isFinite(value)) return value;
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(value))), least);
  const unit = 2 ** (exponent - digits);
  const rounded = toEven(value / unit) * unit;
  return Math.abs(rounded) > most ? Math.sign(rounded) * Infinity : rounded;
}

/** @param {number} value */
function toEven(value) {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}
