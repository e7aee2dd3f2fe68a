/** The run that stands on the page before one of one's own: made by `tools/recorded_run.py`, and drawn as any other. */

import { getRecordedRun } from "../../api/training.js";
import { isRecorded } from "../../requests/recorded_answers.js";
import { playedRun } from "./held_run.js";

/**
 * @param {() => void} onChange
 * @returns {() => {run: import("./run_control.js").Run | null, isPending: boolean}}  null as long as it is pending, and
 *   where it cannot be had: in a saved page, which has its own, and without an address or a server
 */
export function recordedRun(onChange) {
  /** @type {import("./run_control.js").Run | null} */
  let run = null;
  const place = isRecorded() ? null : document.querySelector("[data-recorded-run]");
  const address = place?.getAttribute("data-recorded-run") ?? null;
  let isPending = address !== null;
  if (address !== null) void load(address);

  /** @param {string} from */
  async function load(from) {
    try {
      const played = playedRun(await getRecordedRun(from));
      if (played.record.newest()) run = played;
    } catch {
      // The page says “Not run yet”, and a run of one's own needs none of it.
    }
    isPending = false;
    onChange();
  }

  return () => ({ run, isPending });
}
