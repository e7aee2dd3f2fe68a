/** Relations of a treebank: how often a head's strongest word is the right one, against the best fixed offset. */

import { el, fill } from "../../base/dom.js";
import { fixed, grouped } from "../../base/numbers.js";
import { t } from "../../base/i18n.js";
import { bySureGain, FEWEST_PAIRS, intervalOf, sureGain } from "./interval.js";
import { orDash, relationId, relationName, signed } from "./quantities.js";
import { createShown } from "./redrawing.js";
import { dataTable, noteOf, picking, rowOf, scrolled } from "./tables.js";
import { drawnView } from "../../base/mount.js";

/** @typedef {import("./state.js").AtlasView} AtlasView */
/** @typedef {import("../../api/atlases.js").RelationOfHeads} RelationOfHeads */
/** @typedef {import("./quantities.js").HeadTable} HeadTable */

/** The head with the largest accuracy. @param {RelationOfHeads} relation @returns {{index: number, accuracy: number}} */
export function bestOf({ accuracy }) {
  const most = Math.max(...accuracy.map((value) => value ?? -1));
  return { index: accuracy.indexOf(most), accuracy: most };
}

/** By how much the best head is surely better than the best offset. @param {RelationOfHeads} relation */
const gainOf = (relation) => sureGain(bestOf(relation).accuracy, relation.count, relation.baseline_accuracy);

/** The largest gain first. @param {readonly RelationOfHeads[]} relations */
export function byGain(relations) {
  return bySureGain(relations, gainOf);
}

/** @type {AtlasView} */
export const relationsView = (element, data, { set }) => {
  const isShown = createShown();

  /** @param {import("./state.js").AtlasData} next */
  function update({ state, answer: { heads, table, index } }) {
    if (state.view !== "relations") return;
    if (isShown(heads, index, state.colour)) return;
    if (!heads || !table) return element.replaceChildren();
    if (heads.relations.length === 0) {
      const words = t("This corpus has no dependency relations. Scan a corpus in CoNLL-U format to see them.");
      return fill(element, noteOf(words));
    }
    const rows = byGain(heads.relations).map((relation) =>
      rowFor(relation, table, index, { isShown: relationId(relation) === state.colour, set }),
    );
    const names = [t("Relation"), t("Words"), t("Accuracy"), t("Best head"), t("This head")];
    const focused = document.activeElement?.getAttribute("data-key");
    const shown = scrolled(t("Relations"), dataTable(names, rows, { kind: "atlas-relations" }));
    fill(element, legend(), noteOf(orderSays()), shown);
    if (focused) /** @type {HTMLElement | null} */ (element.querySelector(`[data-key="${focused}"]`))?.focus();
  }

  return drawnView(element, data, update);
};

/**
 * @param {RelationOfHeads} relation
 * @param {HeadTable} table
 * @param {number} index
 * @param {{isShown: boolean, set: Parameters<AtlasView>[2]["set"]}} how  `isShown` on the map
 */
function rowFor(relation, table, index, { isShown, set }) {
  const best = bestOf(relation);
  const own = relation.accuracy[index];
  const id = relationId(relation);
  const { count, baseline_accuracy: baseline, baseline_offset: offset } = relation;
  const gain = best.accuracy - (baseline ?? 0);
  const isFew = count < FEWEST_PAIRS;
  const isSure = !isFew && gainOf(relation) > 0;
  const kind = [isShown && "is-shown", isFew && "is-few"].filter(Boolean).join(" ");
  const name = picking(relationName(relation), () => set({ colour: id }, "pick"), {
    "data-key": id,
    "aria-pressed": String(isShown),
    title: t("Colour the map by this relation"),
  });
  const bestHead = picking(table.name(best.index), () => set(table.at(best.index), "pick"), {
    "data-key": `best ${id}`,
    title: table.title(best.index),
  });
  const offsetSays = t("best fixed offset {offset}: {baseline}", {
    offset: signed(offset),
    baseline: orDash(baseline),
  });
  return rowOf(
    kind || null,
    name,
    el("td", {}, grouped(count)),
    el("td", {}, track(best.accuracy, baseline ?? 0, own), el("span", { class: "visually-hidden" }, offsetSays)),
    el(
      "td",
      {},
      bestHead,
      ` ${fixed(best.accuracy, 2)} `,
      rangeSays(best.accuracy, count),
      " ",
      el("span", { class: isSure ? "atlas-gain" : "note" }, `(${gain > 0 ? "+" : ""}${fixed(gain, 2)})`),
    ),
    el("td", {}, orDash(own, 2)),
  );
}

/** What the order of relations is. */
export function orderSays() {
  return t(
    "Ranges are 95 % intervals (Wilson). In the order of how far their lower end is above the best fixed offset; relations of fewer than {count} words come last, as they may be chance.",
    { count: FEWEST_PAIRS },
  );
}

/** The interval of a share. @param {number | null} share @param {number} count */
export function rangeSays(share, count) {
  if (share === null) return null;
  const { low, high } = intervalOf(share, count);
  return el("span", { class: "note atlas-range" }, `${fixed(low, 2)}–${fixed(high, 2)}`);
}

/** @param {number} best @param {number} baseline @param {number | null | undefined} own */
function track(best, baseline, own) {
  const element = el(
    "span",
    { class: "atlas-track", "aria-hidden": "true" },
    el("span", { class: "atlas-track-bar" }),
    el("span", { class: "atlas-track-base" }),
    own !== null && own !== undefined && el("span", { class: "atlas-track-own" }),
  );
  element.style.setProperty("--best", String(best));
  element.style.setProperty("--base", String(baseline));
  element.style.setProperty("--own", String(own ?? 0));
  return element;
}

function legend() {
  const entry = (/** @type {string} */ kind, /** @type {string} */ name) =>
    el("span", { class: "atlas-kind" }, el("span", { class: `atlas-sample ${kind}`, "aria-hidden": "true" }), name);
  return el(
    "p",
    { class: "atlas-legend" },
    entry("atlas-track-bar", t("best head")),
    entry("atlas-track-base", t("best fixed offset")),
    entry("atlas-track-own", t("this head")),
  );
}
