/** Two atlases compared: which heads moved most, and in which measures. */

import { el, fill } from "../../base/dom.js";
import { fixed } from "../../base/numbers.js";
import { drawnView, mount } from "../../base/mount.js";
import { t } from "../../base/i18n.js";
import { failureView } from "../../page/failure.js";
import { headCode } from "../../wording/labels.js";
import { createShown } from "./redrawing.js";
import { barOf, dataTable, noteOf, picking, rowOf, scrolled } from "./tables.js";

/** @typedef {import("./state.js").AtlasView} AtlasView */
/** @typedef {import("../../api/atlases.js").Comparison} Comparison */

const SHOWN = 30;

/**
 * The measure that changed most, as a share of the spread of its changes.
 * @param {Comparison["heads"][number]} head
 * @param {Record<string, number>} spreads
 */
export function mostChanged({ changes }, spreads) {
  const sized = Object.entries(changes).flatMap(([name, [one, other]]) =>
    one === null || other === null
      ? []
      : [{ name, one, other, by: Math.abs(other - one) / (spreads[name] || Infinity) }],
  );
  return sized.reduce(
    (/** @type {typeof sized[number] | null} */ best, change) => (best && best.by >= change.by ? best : change),
    null,
  );
}

/** The standard deviation of each measure over all heads of both. @param {Comparison} comparison */
export function spreadsOf({ heads }) {
  /** @type {Record<string, number[]>} */
  const values = {};
  for (const { changes } of heads) {
    for (const [name, both] of Object.entries(changes)) {
      (values[name] ??= []).push(...both.filter((value) => value !== null));
    }
  }
  return Object.fromEntries(Object.entries(values).map(([name, both]) => [name, deviation(both)]));
}

/** @param {readonly number[]} values */
function deviation(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

/** @type {AtlasView} */
export const comparisonView = (element, data, { set }) => {
  const problem = el("div", { class: "failure" });
  const place = el("div", {});
  const showProblem = mount(problem, failureView, {});
  fill(element, problem, place);
  const isShown = createShown();

  /** @param {import("./state.js").AtlasData} next */
  function update({ state, answer }) {
    if (state.view !== "compare") return;
    const { comparison, table, index, failure, list, facts } = answer;
    showProblem(failure("comparison") ?? failure("other"));
    if (isShown(comparison, table, index, state.other, list)) return;
    const hasOthers = list?.atlases.some(({ id }) => id !== facts?.id);
    if (!hasOthers || state.other === "") return fill(place, noteOf(hasOthers ? choosing() : noOthers()));
    if (!comparison || !table) return place.replaceChildren();
    const { spreads, heads, most } = mostMoved(comparison);
    const rows = heads.map((head) => {
      const at = table.index(head);
      const name = at >= 0 ? table.title(at) : headCode(head.layer, head.head, 0);
      const pick = () => set({ part: head.part, layer: head.layer, head: head.head }, "pick");
      const moved = el("td", {}, barOf(head.moved / most), fixed(head.moved, 3));
      const changed = el("td", {}, changeSays(comparison, mostChanged(head, spreads)));
      return rowOf(at === index ? "is-shown" : null, picking(name, pick), moved, changed);
    });
    const names = [t("Head"), t("Moved"), t("What changed most")];
    fill(place, noteOf(movedSays()), scrolled(t("Heads that moved"), dataTable(names, rows)));
  }

  return drawnView(element, data, update, () => showProblem(null));
};

/** The heads that moved most, and what their changes are measured by. @param {Comparison} comparison */
export function mostMoved(comparison) {
  const sorted = [...comparison.heads].sort((a, b) => b.moved - a.moved);
  return { spreads: spreadsOf(comparison), heads: sorted.slice(0, SHOWN), most: sorted[0]?.moved || 1 };
}

/** @param {Comparison} comparison @param {ReturnType<typeof mostChanged>} changed */
function changeSays({ measures }, changed) {
  if (!changed) return "–";
  const title = measures.find(({ name }) => name === changed.name)?.title ?? changed.name;
  return `${t(title)}: ${fixed(changed.one, 3)} → ${fixed(changed.other, 3)}`;
}

function noOthers() {
  return t("There is no other atlas yet. Scan another model or another corpus under “Corpus”.");
}

function choosing() {
  return t(
    "Choose an atlas. Lines on the map lead from where a head is there to where it is here; each atlas has a map of behaviour of its own, without such lines.",
  );
}

function movedSays() {
  return t(
    "Moved: root mean square, over all measures, of the difference divided by the measure's standard deviation over all heads of both atlases.",
  );
}
