/** Ties the run that is shown to the page: its id in the address, and its settings, where the form has others by now. */

import { drawnView } from "../frame/views.js";
import { el, fill, plainButton } from "../../base/dom.js";
import { settingsNote } from "./settings.js";
import { settingsOf } from "./state.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("./controls.js").Tools} Tools */
/** @typedef {import("../frame/concept.js").ConceptView<import("./run_source.js").TrainingData>} View */

/** Keeps the run in the address: Back, reload and whoever gets the link find it there. @type {View} */
export const addressView = drawnView((_, /** @type {Tools} */ { set, latest }) => ({ answer: { leading } }) => {
  if (latest().run !== leading.id()) set({ run: leading.id() }, "settle");
});

/** Which settings the curves are of, once the form has others; a press takes those back. @type {View} */
export const settingsView = drawnView((element, { set }) => {
  /** @type {import("./run_control.js").Run | null} */
  let run = null;
  const says = el("span");
  const press = () => run && set(settingsOf(run.answer.config), "pick");
  fill(element, says, " ", plainButton(t("Restore these settings"), press));
  return ({ state, answer }) => {
    run = answer.isRecorded ? null : answer.drawn;
    const note = run ? settingsNote(run.answer.config, state) : "";
    element.hidden = note === "";
    if (says.textContent !== note) says.textContent = note;
  };
});
