/** What a pin keeps of the view that is shown: its address, and what it is about. */

import { bindPins } from "../pins/pinning.js";
import { captionOf } from "../saving/captions.js";
import { fit, partOf, sidesOf } from "../state/selection.js";
import { viewTopic } from "../state/view_names.js";
import { writeState } from "../state/view_state.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */

/**
 * @typedef {object} Shown
 * @property {import("../../base/store.js").Store<ViewState>} state
 * @property {Pick<import("../data/session.js").Session, "progress">} session
 */

/**
 * @param {Document} root
 * @param {Shown} page
 */
export function bindPinnedView(root, { state, session }) {
  return bindPins(root, () => {
    const { analysis } = session.progress.get();
    return analysis && pinOf(state.get(), analysis);
  });
}

/**
 * @param {ViewState} value
 * @param {Analysis} analysis
 */
function pinOf(value, analysis) {
  const fitted = { ...value, ...fit(analysis, value) };
  const part = partOf(analysis, fitted.part);
  const topic = viewTopic(fitted, part, sidesOf(analysis, part).queries);
  const { lang: _, ...rest } = value;
  return { address: writeState({ ...rest, lang: "" }), title: `${topic} · ${captionOf(fitted, analysis)}` };
}
