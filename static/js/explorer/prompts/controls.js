/** What is shown of a set of prompts: a measure, the alignment of positions, mean or spread. */

import { el, fill } from "../../base/dom.js";
import { sentences, t } from "../../base/i18n.js";
import { metricTitle, partName } from "../../wording/labels.js";
import { segmented } from "../widgets/segmented.js";
import { isEffect } from "./measures.js";

/** @typedef {import("../../api/prompts.js").AlignmentRule} AlignmentRule */

/** @typedef {{chosen: string, all: string[], given: string[]}} Parts  of the model, and those that are averaged */

/** The measure that is the weight of the chosen cell. */
export const CELL = "cell";

const PARTS = ["encoder", "decoder", "cross"];

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
  const part = createPartChoice((name) => state.set({ part: name, promptCell: "" }, "pick"));
  const shown = segmented({
    name: "prompts-shown",
    legend: t("What is shown"),
    choices: /** @type {const} */ ([
      ["mean", t("mean")],
      ["spread", t("spread")],
    ]),
    onPick: (/** @type {"mean" | "spread"} */ what) => state.set({ spread: what === "spread" }, "pick"),
  });
  const element = el(
    "div",
    { class: "toolbar" },
    part.element,
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
     * @param {[string, string][]} shownNow.effects  by name and title
     * @param {string} shownNow.output  what they are on
     * @param {Parts} shownNow.parts
     */
    show({ measures, measure: chosen, cellTitle, align: rule, aligns, isSpread, effects, output, parts }) {
      const names = Object.keys(measures.measures).filter((name) => !isEffect(name));
      const titles = names.map((name) => [name, metricTitle(name, measures.metric_info[name])]);
      if (cellTitle) titles.push([CELL, cellTitle]);
      options(measure, chosen, titles, { [output]: effects });
      options(
        align,
        rule,
        aligns.map((rule) => [rule, ruleName(rule)]),
      );
      part.show(parts);
      shown.check(isSpread ? "spread" : "mean");
    },
  };
}

/** @param {(name: string) => void} onPick */
function createPartChoice(onPick) {
  const { element, check } = segmented({
    name: "prompts-part",
    legend: t("Part of the model"),
    choices: PARTS.map((name) => /** @type {const} */ ([name, partName(name)])),
    onPick,
  });
  return {
    element,
    /** @param {Parts} parts */
    show({ chosen, all, given }) {
      element.hidden = all.length < 2;
      check(chosen);
      for (const input of element.querySelectorAll("input")) {
        input.disabled = !given.includes(input.value);
        input.closest("label")?.toggleAttribute("hidden", !all.includes(input.value));
      }
    },
  };
}

/**
 * @param {HTMLSelectElement} select
 * @param {string} chosen
 * @param {string[][]} choices  value and label
 * @param {Record<string, string[][]>} [groups]  further ones, by the group's name
 */
function options(select, chosen, choices, groups = {}) {
  const written = JSON.stringify([choices, groups]);
  const optionsOf = (/** @type {string[][]} */ choices) =>
    choices.map(([value, label]) => el("option", { value }, label));
  if (select.dataset.written !== written) {
    select.dataset.written = written;
    const further = Object.entries(groups).filter(([, group]) => group.length > 0);
    fill(
      select,
      ...optionsOf(choices),
      ...further.map(([label, group]) => el("optgroup", { label }, ...optionsOf(group))),
    );
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
  return sentences(said);
}
