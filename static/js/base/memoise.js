/** Memoise the last call, so that views redraw only when they get a new object; or what is made of an object, once for each. */

/**
 * Returns the last result while the arguments stay the same; lists are compared item by item.
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
 * What is made of an object, made once for each and kept with it.
 * @template {object} A, R
 * @param {(of: A) => R} make
 * @returns {(of: A) => R}
 */
export function madeOnce(make) {
  /** @type {WeakMap<A, R>} */
  const made = new WeakMap();
  return (of) => {
    const known = made.get(of) ?? make(of);
    made.set(of, known);
    return known;
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
 * Whether this is a small object such as {layer, head}, recreated at each read.
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isPlain(value) {
  return typeof value === "object" && value !== null && Object.keys(value).length <= 2;
}
