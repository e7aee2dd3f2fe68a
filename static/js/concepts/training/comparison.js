/** Two runs side by side: what differs between them, and what came of it. */

import { best, firstFormed } from "./run.js";
import { drawnView } from "../frame/views.js";
import { el, fill } from "../../base/dom.js";
import { fixed } from "../../base/numbers.js";
import { settingsApart } from "./settings.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("../frame/concept.js").ConceptView<import("./run_source.js").TrainingData>} View */

/** @typedef {import("./run_control.js").Run} Run */

/** @type {View} */
export const comparisonView = drawnView((element) => {
  let known = "";
  return ({ answer: { run, kept } }) => {
    const isTwo = run !== null && kept !== null && run !== kept;
    element.hidden = !isTwo;
    if (!isTwo) return;
    const lines = [...differences(kept, run), ...results(kept, run)];
    const key = JSON.stringify(lines);
    if (key === known) return;
    known = key;
    const head = el("tr", {}, ...["", t("saved run"), t("this run")].map((name) => el("th", { scope: "col" }, name)));
    const rows = lines.map(([name, ...cells]) =>
      el("tr", {}, el("th", { scope: "row" }, name), ...cells.map((cell) => el("td", {}, cell))),
    );
    fill(element, el("caption", {}, t("Two runs side by side")), el("thead", {}, head), el("tbody", {}, ...rows));
  };
});

/** @param {Run} kept @param {Run} run @returns {string[][]} */
function differences(kept, run) {
  return settingsApart(kept.answer.config, run.answer.config).map(({ label, values }) => [label, ...values]);
}

/** @param {Run} kept @param {Run} run @returns {string[][]} */
function results(kept, run) {
  /** @param {(run: Run) => string} of */
  const both = (of) => [of(kept), of(run)];
  return [
    [t("Step"), ...both((side) => String(side.record.newest()?.step ?? "–"))],
    [t("Loss"), ...both((side) => number(side, (update) => update.loss, 3))],
    [t("Right"), ...both((side) => percent(side))],
    [
      t("Previous token, best head"),
      ...both((side) => number(side, (update) => best(update, "previous_token").score, 2)),
    ],
    [t("Induction, best head"), ...both((side) => number(side, (update) => best(update, "induction").score, 2))],
    [t("Induction formed at step"), ...both(formedAt)],
  ];
}

/** @param {Run} run @param {(update: import("./run.js").Measured) => number} of @param {number} digits */
function number(run, of, digits) {
  const newest = run.record.newest();
  return newest ? fixed(of(newest), digits) : "–";
}

/** @param {Run} run */
function percent(run) {
  const newest = run.record.newest();
  return newest ? `${Math.round(100 * newest.accuracy)} %` : "–";
}

/** @param {Run} run */
function formedAt({ record, answer }) {
  return String(firstFormed(record.all(), "induction", answer.formed)?.update.step ?? "–");
}
