/** The run that is compared with: asked for as the state wants it, and its answer for as long as it belongs to that. */

import { createPosting } from "../data/analysis_request.js";
import { createSession } from "../data/session.js";
import { isSame } from "../state/draft.js";
import { rivalOf } from "./comparison.js";

/** @param {Pick<import("../../api/types.js").Bench, "session" | "pictures" | "schedule">} bench */
export function createSecondRun({ session, pictures, schedule }) {
  const own = createSession(createPosting(pictures));
  let asked = "";
  own.progress.subscribe(schedule);

  return {
    session: own,
    /** @param {import("../../api/types.js").ViewState} value */
    take(value) {
      const shown = session.progress.get().request;
      const wanted = shown && rivalOf(shown, value);
      const name = wanted ? JSON.stringify(wanted.request) : "";
      if (name !== asked) {
        asked = name;
        if (wanted) void own.run(wanted.request);
        else own.cancel();
      }
      const { phase, analysis, request } = own.progress.get();
      return {
        wanted,
        analysis,
        isBusy: phase === "running",
        // Of another text, or of a change taken back, the answer says nothing beside what is shown now.
        isBehind: wanted !== null && (request === null || !isSame(request, wanted.request)),
        failure: wanted ? own.failure() : null,
      };
    },
  };
}
