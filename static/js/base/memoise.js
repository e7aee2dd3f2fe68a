/** Makes the same from the same: views redraw only what is a new object. */

/**
 * Keeps the latest result, and gives it again while the arguments stay the same; lists are compared item by item.
 * @template {unknown[]} A
 * @template R
 * @param {(...args: A) => R} make
 * @returns {(...args: A) => R}
 */
export function remembering(make) {
  /** @type {A | null} */
  let before = null;
  /** @type {R} */
  let result;
  return (...args) => {
    if (before === null || !isAlike(before, args)) result = make(...args);
    before = args;
    return result;
  };
}

/**
 * @param {unknown} one
 * @param {unknown} other
 * @returns {boolean}
 */
function isAlike(one, other) {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isAlike(item, other[index]));
  }
  if (!isPlain(one) || !isPlain(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => Object.is(one[name], other[name]));
}

/**
 * A small object such as {layer, head}, made anew each time it is read.
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isPlain(value) {
  return typeof value === "object" && value !== null && Object.keys(value).length <= 2;
}
