/** Least-recently-used cache by key. */

/**
 * @template R
 * @param {number} size
 */
export function createMemory(size) {
  /** @type {Map<string, R>} */
  const kept = new Map();
  return {
    /** @param {string} key */
    get(key) {
      const value = kept.get(key);
      if (value !== undefined) {
        kept.delete(key);
        kept.set(key, value);
      }
      return value;
    },
    /**
     * @param {string} key
     * @param {R} value
     */
    set(key, value) {
      kept.delete(key);
      kept.set(key, value);
      if (kept.size > size) kept.delete(/** @type {string} */ (kept.keys().next().value));
    },
  };
}
