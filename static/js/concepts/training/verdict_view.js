/** Show the outcome of a run beside what was predicted. */

import { drawnView } from "../frame/views.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { verdict } from "./verdict.js";
import { WATCH } from "./controls.js";

/** @typedef {import("../frame/concept.js").ConceptView<import("./run_source.js").TrainingData>} View */

/** @type {View} */
export const verdictView = drawnView((element) => {
  let known = "";
  return ({ answer: { run } }) => {
    element.hidden = run === null;
    if (run === null) return;
    const guess = run.guess === WATCH ? "" : run.guess;
    const judged = { answer: run.answer, standing: run.standing, updates: run.record.all() };
    const { isRight, title, says } = verdict(judged, guess);
    const key = `${isRight}${title}${says.join()}`;
    if (key === known) return;
    known = key;
    const mark = isRight === null ? null : isRight ? t("As predicted.") : t("Not as predicted.");
    const kind = isRight ? "is-good" : "is-bad";
    fill(
      element,
      el("p", { class: "verdict-title" }, mark && el("strong", { class: kind }, mark), " ", title),
      ...says.map((text) => el("p", {}, text)),
    );
  };
});
