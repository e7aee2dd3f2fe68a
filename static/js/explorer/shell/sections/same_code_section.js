/** The section with the same numbers as code; what writes it is loaded when it is first opened. */

import { fill, need } from "../../../base/dom.js";
import { mount } from "../../../base/mount.js";
import { failureView } from "../../../page/failure.js";
import { fit, partOf } from "../../state/selection.js";
import { unreachable } from "../../widgets/late_panel.js";

/** @typedef {import("../../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../state/view_state.js").ViewState} ViewState */

/**
 * @param {Document} root
 * @param {() => void} schedule  requests a rendering
 * @returns {(state: ViewState, analysis: Analysis) => void}
 */
export function createSameCode(root, schedule) {
  const box = /** @type {HTMLDetailsElement | null} */ (root.querySelector("#same-code")); // not in a frame
  if (!box) return () => {};
  const place = need(box, "#code");
  /** @type {((shown: import("../../saving/same_code.js").Shown) => void) | null} */
  let show = null;
  box.addEventListener("toggle", () => void (show ? schedule() : begin()));

  async function begin() {
    const module = await load().catch(() => null);
    if (module) {
      fill(place);
      show ??= mount(place, module.sameCodeView, {});
      schedule();
    } else mount(place, failureView, {})(unreachable(() => void begin()));
  }

  return (state, analysis) => {
    const value = { ...state, ...fit(analysis, state) };
    if (box.open) show?.({ value, analysis, part: partOf(analysis, value.part) });
  };
}

const load = () => import("../../saving/same_code_view.js");
