/** Answers to several questions at once: asked together, kept for a while, no longer fetched when no longer wanted. */

import { createMemory } from "./latest.js";

/**
 * @template Q, R
 * @typedef {object} Shelf
 * @property {(id: string, questions: Q[]) => (R | null)[]} take  what is there; the rest is asked for
 * @property {() => unknown} problem  the error of a question still wanted
 * @property {() => void} clear  nothing is wanted any more
 */

/**
 * @template Q, R
 * @param {Pick<import("./session.js").Session, "ask">} session
 * @param {(id: string, question: Q, signal: AbortSignal) => Promise<R>} read
 * @param {() => void} onChange  something arrived, or could not
 * @param {number} size  answers kept, at least as many as are asked for at once
 * @returns {Shelf<Q, R>}
 */
export function createShelf(session, read, onChange, size) {
  /** @type {ReturnType<typeof createMemory<R>>} */
  const memory = createMemory(size);
  /** @type {Map<string, AbortController>} */
  const underway = new Map();
  /** @type {Map<string, unknown>} */
  const failed = new Map();
  let wanted = "";

  /**
   * @param {string} key
   * @param {Q} question
   */
  async function fetchOne(key, question) {
    const mine = new AbortController();
    underway.set(key, mine);
    try {
      const answer = await session.ask((id) => read(id, question, mine.signal));
      if (underway.get(key) !== mine) return;
      memory.set(key, answer);
    } catch (error) {
      if (underway.get(key) !== mine || mine.signal.aborted) return;
      failed.set(key, error);
    }
    underway.delete(key);
    onChange();
  }

  /** @param {Set<string>} keys */
  function keep(keys) {
    for (const [key, controller] of underway) {
      if (keys.has(key)) continue;
      underway.delete(key);
      controller.abort();
    }
  }

  return {
    take(id, questions) {
      const keys = questions.map((question) => JSON.stringify([id, question]));
      const now = keys.join();
      // A question that failed is asked again when something else has been asked meanwhile.
      if (now !== wanted) failed.clear();
      wanted = now;
      keep(new Set(keys));
      return keys.map((key, index) => {
        const kept = memory.get(key) ?? null;
        if (kept === null && !underway.has(key) && !failed.has(key)) void fetchOne(key, questions[index]);
        return kept;
      });
    },
    problem: () => failed.values().next().value ?? null,
    clear() {
      wanted = "";
      failed.clear();
      keep(new Set());
    },
  };
}
