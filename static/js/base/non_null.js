/** What a type allows to be missing, where it cannot be: an answer's field that this request always gets. */

/**
 * The value; throws where there is none.
 * @template T
 * @param {T} value
 * @returns {NonNullable<T>}
 */
export function nonNull(value) {
  if (value === null || value === undefined) throw new Error("nothing where there must be a value");
  return value;
}
