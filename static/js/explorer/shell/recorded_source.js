/** Connect the Explorer to the analysis recorded in a saved page, and to the notebook that shows it. */

import { getAnalysis } from "../../api/analyses.js";
import { need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { answerFromRecords, answerHeld } from "../../requests/recorded_answers.js";
import { createRelay, sendThrough } from "../../requests/relay.js";
import { createRecordedAnalysis } from "../data/recorded_analysis.js";
import { createSession } from "../data/session.js";
import { modelOf } from "../saving/captions.js";
import { fileContents } from "../saving/file_contents.js";
import { changesNote, changesOf } from "../state/changes/change_summary.js";
import { writeChanges } from "../state/changes/changes.js";
import { requestOf } from "../state/draft.js";
import { fit, partOf } from "../state/selection.js";
import { writeState } from "../state/view_state.js";
import { within } from "./explorer.js";
import { bindNotebook } from "./notebook.js";
import { PANELS } from "./panels.js";
import { bindSavedLecture } from "./saved_lecture.js";

/**
 * @param {import("../../requests/recorded_answers.js").Recorded[]} records
 * @param {import("../../base/host.js").Host | null} host  a notebook through which the server is reached
 * @returns {import("./explorer.js").Connect}
 */
export function connectRecords(records, host) {
  return ({ root, config, state, schedule }) => {
    const hasServer = host !== null;
    const recorded = createRecordedAnalysis(records, state.get().numbering, { hasServer });
    if (host) sendThrough(createRelay(host));
    if (host) answerHeld(records, recorded.derive);
    else answerFromRecords(records, recorded.derive);
    const { analysis } = recorded;
    /** @type {import("./explorer.js").Source["stagesOf"]} */
    const stagesOf = hasServer ? ({ stages }) => stages : recorded.stagesOf;
    const session = createSession(() => getAnalysis(analysis.id));
    const { output, flow, patching, ...panels } = PANELS;
    const live = /** @type {HTMLAnchorElement} */ (need(root, "#open-page"));
    session.progress.subscribe(schedule);

    /** The address of the same view on the server. */
    const link = () => {
      const value = state.get();
      const changes = value.changes || writeChanges(analysis.interventions.flatMap(changesOf));
      return new URL(writeState({ ...value, changes }), config.live ?? "").href;
    };

    return {
      session,
      stagesOf,
      rewriting: async () => ({}),
      panels: {
        ...panels,
        ...((hasServer || recorded.has("output")) && { output }),
        ...((hasServer || recorded.has("information_flow")) && { flow }),
        ...(recorded.hasPatching && { patching }),
      },
      show: () => void (live.href = link()),
      async start() {
        sayContents(root, recorded, state.get());
        await session.run(requestOf(state.get()));
        state.set(fit(analysis, state.get()), "shown");
        if (!host) bindSavedLecture(root, state, () => need(root, "#head-title").textContent ?? "");
        if (host) bindNotebook(host, { analysis, state, fitted: (value) => within(analysis, value, stagesOf) });
        need(root, "#bench").setAttribute("aria-busy", "false");
      },
    };
  };
}

/**
 * Texts that are the same whatever is chosen: the model, its size and changes, and the contents of the file.
 * @param {Document} root
 * @param {ReturnType<typeof createRecordedAnalysis>} recorded
 * @param {import("../state/view_state.js").ViewState} value
 */
function sayContents(root, { analysis, windows, isComplete }, value) {
  const byId = (/** @type {string} */ id) => need(root, `#${id}`);
  const { title } = modelOf(analysis);
  const changed = changesNote(analysis, value.numbering);
  const count = analysis.tokens.length;
  root.title = root.title.replace(/^[^·]*/, `${title} `);
  byId("file-title").textContent = title;
  byId("size").textContent = t("{layers} layers × {heads} heads, {count} tokens", { ...analysis.parts[0], count });
  byId("changed").hidden = changed === "";
  byId("changed").textContent = changed;
  const saved = { ...value, ...fit(analysis, value) };
  const part = partOf(analysis, saved.part).name;
  byId("contents").textContent = fileContents({ windows, isComplete, saved: { ...saved, part } });
}
