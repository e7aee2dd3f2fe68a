/** The button that pins what is shown; the list of pins is loaded once the page is idle. */

import { captionOf } from "../saving/captions.js";
import { fit, partOf, sidesOf } from "../state/selection.js";
import { viewTopic } from "../state/view_names.js";
import { writeState } from "../state/view_state.js";
import { whenIdle } from "../widgets/late_panel.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */

/**
 * @param {Document} root
 * @param {object} page
 * @param {import("../../base/store.js").Store<ViewState>} page.state
 * @param {Pick<import("../data/session.js").Session, "progress">} page.session
 * @returns {() => void}  marks whether what is shown is pinned
 */
export function bindPinning(root, { state, session }) {
  /** @type {(() => void) | null} */
  let mark = null;
  let isBegun = false;

  function shown() {
    const { analysis } = session.progress.get();
    return analysis && pinOf(state.get(), analysis);
  }

  return function show() {
    mark?.();
    if (isBegun || !root.querySelector("#pin")) return;
    isBegun = true;
    whenIdle(
      () =>
        void load().then(
          ({ bindPins }) => ({ mark } = bindPins(root, shown)),
          () => (isBegun = false),
        ),
    );
  };
}

const load = () => import("../pins/pinning.js");

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
