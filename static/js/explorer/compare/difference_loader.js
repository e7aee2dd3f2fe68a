/** What the server subtracts: one run from another, and how much each head changed. */

import { getDifference } from "../../api/analyses.js";
import { createCachedResource } from "../../requests/cached_resource.js";

/** @typedef {import("../../api/analyses.js").Difference} Difference */
/** @typedef {import("../../api/types.js").WindowRequest} WindowRequest */

/** @typedef {{first: string, second: string, window: WindowRequest}} Question */

const KEPT = 24;

/**
 * @param {Pick<import("../data/session.js").Session, "ask">} session
 * @param {Pick<import("../data/session.js").Session, "ask">} rival  the session of the other run
 * @param {() => void} onChange  an answer arrived, or could not
 */
export function createBetween(session, rival, onChange) {
  // Where either run has expired it is posted anew, and has the same id again.
  const differences = createCachedResource({
    ...{ lane: "difference", onChange, kept: KEPT },
    read: (/** @type {Question} */ { first, second, window }, signal) =>
      session.ask(() => rival.ask(() => getDifference(first, second, window, signal))),
  });
  /** @type {{pair: string, largest: number[][]} | null} */
  let latest = null;

  return {
    /** Why the difference is not there. */
    failure: differences.failure,
    clear: differences.clear,
    /**
     * The difference of a window of one head, and that of every head, which does not wait for the window.
     * @param {Question | null} question  null where the server cannot subtract
     * @returns {{matrix: Difference["matrix"] | null, largest: number[][] | null}}
     */
    take(question) {
      const [found] = differences.take(question ? [question] : []);
      if (!question) return { matrix: null, largest: null };
      const pair = question.first + question.second + question.window.part;
      if (found) latest = { pair, largest: found.largest };
      return { matrix: found?.matrix ?? null, largest: latest?.pair === pair ? latest.largest : null };
    },
  };
}

/**
 * The heads that changed most, largest first; those that did not change are left out.
 * @param {number[][]} largest  by layer and head
 * @param {number} count
 * @returns {{layer: number, head: number, change: number}[]}
 */
export function mostChanged(largest, count) {
  const all = largest.flatMap((heads, layer) => heads.map((change, head) => ({ layer, head, change })));
  return all
    .filter(({ change }) => change > 0)
    .sort((one, other) => other.change - one.change)
    .slice(0, count);
}
