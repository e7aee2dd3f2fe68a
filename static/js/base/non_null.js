/** Assert that an optional value is present, such as an answer's field that this request always has. */

/**
 * The value; throws if it is null or undefined.
 * @template T
 * @param {T} value
 * @returns {NonNullable<T>}
 */
export function nonNull(value) {
  if (value === null || value === undefined) throw new Error("nothing where there must be a value");
  return value;
}
