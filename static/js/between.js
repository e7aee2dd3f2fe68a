/** What the server subtracts: one run from another, and how much each head changed. */

import { getDifference } from "./api.js";
import { createLatest, createMemory } from "./latest.js";

/** @typedef {import("./api.js").Difference} Difference */
/** @typedef {import("./types.js").WindowRequest} WindowRequest */

/** @typedef {{first: string, second: string, window: WindowRequest}} Question */

const KEPT = 24;

/**
 * @param {() => void} onChange  an answer arrived, or could not
 */
export function createBetween(onChange) {
  /** @type {ReturnType<typeof createMemory<Difference>>} */
  const memory = createMemory(KEPT);
  let wanted = "";
  /** @type {Difference | null} */
  let latestAnswer = null;
  let pair = "";
  const latest = createLatest(
    (/** @type {Question} */ { first, second, window }, signal) => getDifference(first, second, window, signal),
    (answer, question) => {
      memory.set(JSON.stringify(question), answer);
      latestAnswer = answer;
      pair = question.first + question.second + question.window.part;
      onChange();
    },
    () => onChange(), // either run has expired: its maps are asked for anew, and this with them
  );

  return {
    /**
     * The difference of a window of one head, and that of every head, which does not wait for the window.
     * @param {Question} question
     * @returns {{matrix: Difference["matrix"] | null, largest: number[][] | null}}
     */
    take(question) {
      const key = JSON.stringify(question);
      const kept = memory.get(key);
      if (!kept && wanted !== key) void latest.ask(question);
      wanted = key;
      const isSamePair = pair === question.first + question.second + question.window.part;
      return {
        matrix: kept?.matrix ?? null,
        largest: kept?.largest ?? (isSamePair ? latestAnswer?.largest : null) ?? null,
      };
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
