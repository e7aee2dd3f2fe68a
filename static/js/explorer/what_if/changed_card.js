/** The card of a changed model: what was changed, what was refused of it, and what it did to the prediction. */

import { labelled } from "../../base/i18n.js";
import { mount } from "../../base/mount.js";
import { changeName, placeName } from "../state/changes/change_names.js";
import { changedView } from "./banner.js";
import { createPredictionChange } from "./prediction_change.js";
import { refusedChange } from "./refused_change.js";

/** @typedef {import("../state/changes/changes.js").Change} Change */
/** @typedef {import("./banner.js").ChangedData} ChangedData */

/**
 * @typedef {object} Answered
 * @property {import("../../api/types.js").Analysis | null} analysis  that is shown
 * @property {import("../../requests/api_request.js").ApiError | null} refusal  of the changes
 *
 * @typedef {Omit<ChangedData, "problem" | "effect" | "tokens"> & Answered} Shown
 */

/**
 * @param {HTMLElement} element
 * @param {import("./banner.js").ChangedOptions & Pick<import("../data/analyses.js").Analyst, "session" | "post"> & {schedule: () => void}} options
 * @returns {(shown: Shown | null) => void}  null where nothing is changed
 */
export function createChangedCard(element, { session, post, schedule, ...options }) {
  const effects = createPredictionChange({ session, post, onChange: schedule });
  const draw = mount(element, changedView, options);
  return (shown) => {
    if (shown === null) {
      effects.take(null, "");
      return draw(null);
    }
    const { analysis, refusal, ...made } = shown;
    const { written, sides, numbering, isBehind } = made;
    const nameOf = (/** @type {Change} */ change) =>
      labelled(placeName(change, numbering), changeName(change, { sides, numbering }));
    const problem = refusal ? refusedChange(refusal.field, written, nameOf) || refusal.message : "";
    const effect = effects.take(isBehind || problem ? null : analysis, written);
    const tokens = (analysis?.target_tokens ?? analysis?.tokens) || [];
    draw({ ...made, problem, effect, tokens });
  };
}
