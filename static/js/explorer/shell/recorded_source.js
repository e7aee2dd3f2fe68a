/** Connect the Explorer to the analysis recorded in a saved page. */

import { getAnalysis } from "../../api/analyses.js";
import { need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { answerFromRecords } from "../../requests/recorded_answers.js";
import { createRecordedAnalysis } from "../data/recorded_analysis.js";
import { createSession } from "../data/session.js";
import { modelOf } from "../saving/captions.js";
import { fileContents } from "../saving/file_contents.js";
import { changesNote, changesOf } from "../state/change_summary.js";
import { writeChanges } from "../state/changes.js";
import { requestOf } from "../state/draft.js";
import { fit, partOf } from "../state/selection.js";
import { writeState } from "../state/view_state.js";
import { PANELS } from "./panels.js";

/**
 * @param {import("../../requests/recorded_answers.js").Recorded[]} records
 * @returns {import("./explorer.js").Connect}
 */
export function connectRecords(records) {
  return ({ root, config, state, schedule }) => {
    const recorded = createRecordedAnalysis(records, state.get().numbering);
    answerFromRecords(records, recorded.derive);
    const { analysis, stagesOf } = recorded;
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
      ...{ session, stagesOf, rewriting: {}, rewritable: () => ({}) },
      panels: {
        ...panels,
        ...(recorded.has("output") && { output }),
        ...(recorded.has("information_flow") && { flow }),
      },
      show: () => void (live.href = link()),
      async start() {
        sayContents(root, recorded, state.get());
        await session.run(requestOf(state.get()));
        state.set(fit(analysis, state.get()), "shown");
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
  const at = (/** @type {string} */ id) => need(root, `#${id}`);
  const { title } = modelOf(analysis);
  const changed = changesNote(analysis, value.numbering);
  const count = analysis.tokens.length;
  root.title = root.title.replace(/^[^·]*/, `${title} `);
  at("file-title").textContent = title;
  at("size").textContent = t("{layers} layers × {heads} heads, {count} tokens", { ...analysis.parts[0], count });
  at("changed").hidden = changed === "";
  at("changed").textContent = changed;
  const saved = { ...value, ...fit(analysis, value) };
  const part = partOf(analysis, saved.part).name;
  at("contents").textContent = fileContents({ windows, isComplete, saved: { ...saved, part } });
}
