/** The run that is compared with: asked for as the state wants it, and its answer for as long as it belongs to that. */

import { isSame } from "../state/draft.js";
import { comparisonOf } from "./comparison.js";

/** @typedef {import("../data/session.js").Session} Session */

/**
 * @param {Pick<Session, "progress">} first  whose run is shown
 * @param {Pick<Session, "progress" | "run" | "cancel" | "failure">} second
 */
export function createSecondRun(first, second) {
  let asked = "";
  return {
    /**
     * @param {import("../state/view_state.js").ViewState} value
     * @param {boolean} [isBare]  whether the other model has no chat template
     */
    take(value, isBare) {
      const shown = first.progress.get().request;
      const wanted = shown && comparisonOf(shown, value, isBare);
      const name = wanted ? JSON.stringify(wanted.request) : "";
      if (name !== asked) {
        asked = name;
        if (wanted) void second.run(wanted.request);
        else second.cancel();
      }
      const { phase, analysis, request } = second.progress.get();
      return {
        wanted,
        analysis,
        isBusy: phase === "running",
        // Of another text, or of a change taken back, the answer says nothing beside what is shown now.
        isBehind: wanted !== null && (request === null || !isSame(request, wanted.request)),
        failure: wanted ? second.failure() : null,
      };
    },
  };
}
