/** What is shown of a set of prompts: a measure, the alignment of positions, mean or spread. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { metricTitle } from "../../wording/labels.js";
import { segmented } from "../widgets/segmented.js";

/** @typedef {import("../../api/prompts.js").AlignmentRule} AlignmentRule */

/** The measure that is the weight of the chosen cell. */
export const CELL = "cell";

/** @param {import("../widgets/panel.js").Bench["state"]} state */
export function createControls(state) {
  const measure = el("select", {
    id: "prompts-measure",
    onchange: () => state.set({ promptMeasure: measure.value }, "pick"),
  });
  const align = el("select", {
    id: "prompts-align",
    onchange: () => state.set({ align: /** @type {AlignmentRule} */ (align.value), promptCell: "" }, "pick"),
  });
  const shown = segmented({
    ...{ name: "prompts-shown", legend: t("What is shown") },
    choices: /** @type {const} */ ([
      ["mean", t("mean")],
      ["spread", t("spread")],
    ]),
    onPick: (/** @type {"mean" | "spread"} */ what) => state.set({ spread: what === "spread" }, "pick"),
  });
  const element = el(
    "div",
    { class: "toolbar" },
    el("label", {}, `${t("Measure")} `, measure),
    el("label", {}, `${t("Positions")} `, align),
    shown.element,
  );
  return {
    element,
    /**
     * @param {object} shownNow
     * @param {import("../../api/prompts.js").PromptMeasures} shownNow.measures
     * @param {string} shownNow.measure
     * @param {string} shownNow.cellTitle
     * @param {AlignmentRule} shownNow.align
     * @param {AlignmentRule[]} shownNow.aligns
     * @param {boolean} shownNow.isSpread
     */
    show({ measures, measure: chosen, cellTitle, align: rule, aligns, isSpread }) {
      const titles = Object.keys(measures.measures).map((name) => [
        name,
        metricTitle(name, measures.metric_info[name]),
      ]);
      if (cellTitle) titles.push([CELL, cellTitle]);
      options(measure, titles, chosen);
      options(
        align,
        aligns.map((one) => [one, ruleName(one)]),
        rule,
      );
      shown.check(isSpread ? "spread" : "mean");
    },
  };
}

/**
 * @param {HTMLSelectElement} select
 * @param {string[][]} choices  value and label
 * @param {string} chosen
 */
function options(select, choices, chosen) {
  const written = choices.map(([value, label]) => `${value} ${label}`).join("\n");
  if (select.dataset.written !== written) {
    select.dataset.written = written;
    fill(select, ...choices.map(([value, label]) => el("option", { value }, label)));
  }
  select.value = chosen;
}

/** @param {AlignmentRule} rule */
function ruleName(rule) {
  return { start: t("from the start"), end: t("from the end"), slots: t("by the template") }[rule];
}

/**
 * How the prompts are averaged.
 * @param {import("../../api/prompts.js").Prompts} prompts
 * @param {AlignmentRule} rule
 */
export function meaningOf({ longest, shortest }, rule) {
  const equal = t("All prompts have {count} tokens.", { count: longest });
  const uneven = t("From {least} to {most} tokens; a position is averaged over the prompts that have it.", {
    least: shortest,
    most: longest,
  });
  const merged = t("Each slot is one position: its tokens are summed as keys and averaged as queries.");
  const spread = t("Spread is the standard deviation over the prompts.");
  const said = [
    t("Each prompt counts once."),
    longest === shortest ? equal : uneven,
    rule === "slots" && merged,
    spread,
  ];
  return said.filter(Boolean).join(" ");
}
