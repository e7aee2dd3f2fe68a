/** Format numbers for display: a true minus sign, −∞, a sensible number of digits. */

/**
 * Values that round to 0 are 0, not −0.
 * @param {number} value
 * @param {number} digits  after the point
 * @returns {string}
 */
export function fixed(value, digits) {
  if (value === Infinity) return "∞";
  if (value === -Infinity) return "−∞";
  return value
    .toFixed(digits)
    .replace(/^-(?=0(?:\.0*)?$)/, "")
    .replace(/^-/, "−");
}

/**
 * A number as far as these digits show it; what rounds to 0 is 0, not −0.
 * @param {number} value
 * @param {number} digits  after the point
 * @returns {number}
 */
export function rounded(value, digits) {
  return Number(value.toFixed(digits)) || 0;
}

/**
 * @param {readonly number[]} values
 * @param {number} digits  after the point
 */
export function allRounded(values, digits) {
  return values.map((value) => rounded(value, digits));
}

/**
 * A value of a stage, precise enough to compare and short enough to read.
 * @param {number} value
 * @returns {string}
 */
export function exact(value) {
  const size = Math.abs(value);
  return size > 0 && size < 0.0001 ? small(value) : fixed(value, 4);
}

/**
 * A value too small for a fixed number of digits: 1.8 × 10⁻⁷. No line breaks inside it.
 * @param {number} value
 * @returns {string}
 */
export function small(value) {
  if (value === 0) return "0";
  const [mantissa, exponent] = value.toExponential(1).split("e");
  const raised = [...String(Number(exponent))]
    .map((sign) => (sign === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(sign)]))
    .join("");
  return `${mantissa.replace(/^-/, "−")}\u00a0×\u00a010${raised}`;
}

/**
 * A whole number in lowered digits, as in x₁₂ and the₅.
 * @param {number} value
 * @returns {string}
 */
export function lowered(value) {
  return String(value)
    .replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)])
    .replace(/^-/, "₋");
}

/**
 * @param {number} milliseconds
 * @returns {string}
 */
export function duration(milliseconds) {
  return milliseconds < 1000
    ? `${fixed(milliseconds, milliseconds < 10 ? 1 : 0)} ms`
    : `${fixed(milliseconds / 1000, 1)} s`;
}

/**
 * An integer with thousands separators: 16,384.
 * @param {number} value
 * @returns {string}
 */
export function grouped(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/**
 * Bytes in binary units, without rounding if exact: 256 MiB, 1.5 GiB.
 * @param {number} count
 * @returns {string}
 */
export function bytes(count) {
  const power = Math.min(Math.floor(Math.log2(Math.max(count, 1)) / 10), 5);
  const value = count / 1024 ** power;
  const said = Number.isInteger(value)
    ? String(value)
    : value.toPrecision(Math.max(3, String(Math.trunc(value)).length));
  return `${said} ${["B", "KiB", "MiB", "GiB", "TiB", "PiB"][power]}`;
}
