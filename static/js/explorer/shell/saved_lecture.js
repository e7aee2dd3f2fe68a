/** The saved Explorer in a lecture: presented stage by stage; in a slide it keeps its state, its size is told, keys go on. */

import { bindHistory } from "../../page/history.js";
import { bindTypeFit } from "../../page/type_fit.js";
import { bindLecturePage } from "../../page/lecture_page.js";
import { isInside } from "../../page/framed.js";
import { readState } from "../state/view_state.js";
import { need } from "../../base/dom.js";
import { address } from "./history.js";
import { SIDEWAYS } from "./sideways.js";
import { stageSteps } from "./stage_steps.js";

/**
 * @param {Document} root
 * @param {import("../../base/store.js").Store<import("../state/view_state.js").ViewState>} state
 * @param {() => string} title  of what is shown
 */
export function bindSavedLecture(root, state, title) {
  const stages = stageSteps(root, state);
  const deck = {
    now: () => ({ figures: [{ name: title(), notice: "" }], figure: 0, ...stages.now(state.get()) }),
    go: (/** @type {import("../../page/deck.js").Place} */ { step }) => stages.go(step),
  };
  const presenting = bindLecturePage(root, deck, render);
  const fitType = bindTypeFit(need(root, "#bench"), () => state.get().view, SIDEWAYS);
  if (isInside()) bindHistory(state, () => undefined, { read: () => readState(location), address });
  state.subscribe(render);
  render();

  function render() {
    presenting();
    fitType();
  }
}
