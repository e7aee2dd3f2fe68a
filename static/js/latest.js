/** Answers that come too late are dropped. */

/**
 * Runs a task so that only the newest counts: a new call aborts the one before, whose result is never delivered.
 * @template A, R
 * @param {(argument: A, signal: AbortSignal) => Promise<R>} task
 * @param {(result: R, argument: A) => void} deliver
 * @param {(error: unknown, argument: A) => void} fail
 * @returns {{ask: (argument: A) => Promise<void>, cancel: () => void}}
 */
export function createLatest(task, deliver, fail) {
  /** @type {AbortController | null} */
  let current = null;
  return {
    async ask(argument) {
      current?.abort();
      const mine = new AbortController();
      current = mine;
      try {
        const result = await task(argument, mine.signal);
        if (current === mine) deliver(result, argument);
      } catch (error) {
        if (current === mine && !mine.signal.aborted) fail(error, argument);
      }
    },
    cancel() {
      current?.abort();
      current = null;
    },
  };
}

/**
 * Keeps the latest answers of a question by key, oldest out first.
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
