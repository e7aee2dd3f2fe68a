/** Every head's number in a role, one sentence with a head's weights, and each relation's best head. */

import { placed } from "../../base/place.js";
import { barPlot } from "../../charts/plots/bar_plot.js";
import { chartView, drawnView, factsView } from "../frame/views.js";
import {
  bestDirections,
  chosenRelation,
  keyOf,
  placeOf,
  queryOf,
  RELATION,
  rightOf,
  shownOf,
  strongestIn,
  valuesOf,
} from "./state.js";
import { el, fill } from "../../base/dom.js";
import { matrixMark } from "../../charts/matrix.js";
import { relationNames, roleName } from "./names.js";
import { sentenceArcs } from "./sentence_arcs.js";
import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { headCode } from "../../wording/labels.js";

/** @typedef {import("./state.js").RolesData} RolesData */
/** @typedef {import("../frame/concept.js").ConceptView<RolesData>} View */

/** Relations of a head's profile. */
const BEST_RELATIONS = 3;
/** Pixels of all rows of the grid together. */
const GRID = 174;

/** Low rows, so that the sentence stands on the first screen too. @type {typeof matrixMark} */
const lowMatrix = (element, data, options) => matrixMark(element, data, { ...options, mostHeight: GRID });

/** @type {View} */
export const headsView = chartView(
  lowMatrix,
  (data) => {
    const { layer, head } = placeOf(data);
    return {
      title: titleOf(data),
      values: valuesOf(data),
      axes: t("layer ↓ head →"),
      scale: /** @type {const} */ ("weight"),
      digits: 2,
      chosen: { row: layer, column: head },
    };
  },
  ({ row, column }) => ({ layer: row, head: column, query: -1 }),
  "switch",
);

/** @param {RolesData} data */
function titleOf(data) {
  if (data.state.role !== RELATION) return t("Mean weight, by head: {role}", { role: roleName(data.state.role) });
  return t("Share of pairs found, by head: {relation}", { relation: relationNames(chosenRelation(data)) });
}

/** @type {View} */
export const sentenceView = chartView(
  sentenceArcs,
  (data) => {
    const { units, weights, isWords } = shownOf(data);
    return {
      units,
      weights,
      strongest: weights.map((row, query) => strongestIn(row, isWords ? query : -1)),
      query: queryOf(data),
      right: rightOf(data),
    };
  },
  (/** @type {number} */ query) => ({ query }),
  "switch",
);

/** @type {View} */
export const relationsView = chartView(barPlot, (data) => {
  const relations = bestDirections(data);
  const chosen = relations.findIndex((relation) => keyOf(relation) === data.state.relation);
  return {
    title: t("The best head of each relation, and the best fixed offset"),
    names: relations.map(({ relation }) => (relation === "antecedent" ? t("pronoun") : relation)),
    titles: relations.map(
      (relation) => `${relationNames(relation)}: ${headCode(relation.best.layer, relation.best.head, 0)}`,
    ),
    series: [
      { name: t("best head"), values: relations.map((relation) => relation.best.value), colour: 0 },
      { name: t("best fixed offset"), values: relations.map((relation) => relation.baseline), colour: 7 },
    ],
    axis: t("relation"),
    unit: t("share found"),
    most: 1.05,
    digits: 2,
    chosen: data.state.role === RELATION && chosen >= 0 ? { index: chosen, name: t("chosen") } : null,
  };
});

/** All that the chosen head does. */
export const profileView = factsView((/** @type {RolesData} */ data) => {
  const { answer } = data;
  const { layer, head } = placeOf(data);
  const means = Object.entries(answer.values).map(
    ([role, rows]) => /** @type {[string, string]} */ ([roleName(role), fixed(rows[layer][head], 2)]),
  );
  const relations = answer.relations
    .map((relation) => ({ one: relation, above: relation.found[layer][head] - relation.baseline }))
    .filter(({ above }) => above >= answer.margin)
    .sort((first, second) => second.above - first.above)
    .slice(0, BEST_RELATIONS)
    .map(
      ({ one: relation }) =>
        /** @type {[string, string]} */ ([
          relationNames(relation),
          t("{share}, fixed offset {baseline}", {
            share: fixed(relation.found[layer][head], 2),
            baseline: fixed(relation.baseline, 2),
          }),
        ]),
    );
  return [[t("head"), headCode(layer, head, 0)], ...means, ...relations];
});

/** To the same head over a whole corpus; a saved file has no server to lead to. @type {View} */
export const atlasLinkView = drawnView((element) => (data) => {
  if (element.closest("[data-offline]")) return;
  const { layer, head } = placeOf(data);
  const query = new URLSearchParams({ model: data.state.model, layer: String(layer), head: String(head) });
  const lang = new URLSearchParams(location.search).get("lang");
  if (lang) query.set("lang", lang);
  fill(element, el("a", { href: placed(`/atlas?${query}`) }, t("This head in the atlas, over a whole corpus")));
});
