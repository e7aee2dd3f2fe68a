/** What the server subtracts: one run from another, and how much each head changed. */

import { getDifference } from "../../api/analyses.js";
import { createCachedResource } from "../../requests/cached_resource.js";

/** @typedef {import("../../api/analyses.js").Difference} Difference */
/** @typedef {import("../../api/types.js").WindowRequest} WindowRequest */

/**
 * @typedef {object} Question
 * @property {string} shown  id of the analysis that is shown
 * @property {string} other
 * @property {boolean} isOtherFirst  subtracted from the shown one, rather than the other way round
 * @property {WindowRequest} window  of the one that is subtracted
 * @property {{layer: number, head: number}} otherHead  of the one that it is subtracted from
 */

const KEPT = 24;

/**
 * @param {Pick<import("../data/session.js").Session, "ask">} session
 * @param {Pick<import("../data/session.js").Session, "ask">} otherSession  the session of the other run
 * @param {() => void} onChange  an answer arrived, or could not
 */
export function createDifferenceLoader(session, otherSession, onChange) {
  const differences = createCachedResource({
    lane: "difference",
    onChange,
    kept: KEPT,
    read: (/** @type {Question} */ { shown, other, isOtherFirst, window, otherHead }, signal) =>
      session.ask(shown, (id) =>
        otherSession.ask(other, (otherId) =>
          getDifference(...inOrder(id, otherId, isOtherFirst), window, otherHead, signal),
        ),
      ),
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
      const [difference] = differences.take(question ? [question] : []);
      if (!question) return { matrix: null, largest: null };
      const { shown, other, isOtherFirst, window } = question;
      const pair = [...inOrder(shown, other, isOtherFirst), window.part].join(" ");
      if (difference) latest = { pair, largest: difference.largest };
      return { matrix: difference?.matrix ?? null, largest: latest?.pair === pair ? latest.largest : null };
    },
  };
}

/**
 * @param {string} shown
 * @param {string} other
 * @param {boolean} isOtherFirst
 * @returns {[string, string]}
 */
function inOrder(shown, other, isOtherFirst) {
  return isOtherFirst ? [other, shown] : [shown, other];
}

/**
 * The heads that changed most, largest first; those that did not change are left out.
 * @param {number[][]} largest  by layer and head
 * @param {number} count
 * @returns {{layer: number, head: number, change: number}[]}
 */
export function mostChanged(largest, count) {
  const changes = largest.flatMap((heads, layer) => heads.map((change, head) => ({ layer, head, change })));
  return changes
    .filter(({ change }) => change > 0)
    .sort((a, b) => b.change - a.change)
    .slice(0, count);
}
