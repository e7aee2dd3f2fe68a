/** Look from time to time how far the server has come with something long. */

import { ApiError } from "./api_request.js";

/** Milliseconds before the first look, and between two. */
const [PATIENCE, EVERY] = [300, 500];

/**
 * @template Q, R
 * @param {(question: Q, signal: AbortSignal) => Promise<R>} read
 * @param {() => void} onChange
 */
export function watchedProgress(read, onChange) {
  /** @type {R | null} */
  let known = null;
  let watched = "null";
  let stop = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** @param {Q} question */
  async function look(question) {
    const { signal } = stop;
    try {
      known = await read(question, signal);
    } catch (error) {
      // What goes wrong here, the request that is waited for will tell.
      if (!signal.aborted && !(error instanceof ApiError)) throw error;
    }
    if (signal.aborted) return;
    onChange();
    timer = setTimeout(look, EVERY, question);
  }

  return {
    /** @returns {R | null}  null before it is known */
    now: () => known,
    /** @param {Q | null} question  null: no longer */
    watch(question) {
      const asked = JSON.stringify(question);
      if (watched === asked) return;
      watched = asked;
      stop.abort();
      clearTimeout(timer);
      stop = new AbortController();
      known = null;
      if (question !== null) timer = setTimeout(look, PATIENCE, question);
    },
  };
}
