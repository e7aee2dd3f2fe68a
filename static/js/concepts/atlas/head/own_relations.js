/** The relations that one head finds, those first in which it is furthest above the best fixed offset. */

import { el } from "../../../base/dom.js";
import { fixed, grouped } from "../../../base/numbers.js";
import { t } from "../../../base/i18n.js";
import { bySureGain, FEWEST_PAIRS, sureGain } from "../interval.js";
import { orderSays, rangeSays } from "../relations.js";
import { drawnFor } from "./portrait.js";
import { orDash, relationId, relationName, signed } from "../quantities.js";
import { dataTable, noteOf, picking, rowOf } from "../tables.js";

/** @typedef {import("../../../api/atlases.js").Portrait["relations"][number]} OwnRelation */

/** How far a head is above the best fixed offset. @param {OwnRelation} relation */
const gainOf = ({ accuracy, baseline_accuracy: baseline }) => (accuracy ?? 0) - (baseline ?? 0);

/** By how much it is surely above. @param {OwnRelation} relation */
const sureGainOf = ({ accuracy, count, baseline_accuracy: baseline }) => sureGain(accuracy, count, baseline);

/** The largest sure gain first. @param {readonly OwnRelation[]} relations */
export function byOwnGain(relations) {
  return bySureGain(relations, sureGainOf);
}

/** @type {import("../state.js").AtlasView} */
export const ownRelationsView = drawnFor(({ portrait, set }) => {
  if (portrait.relations.length === 0) {
    const words = t("This corpus has no dependency relations. Scan a corpus in CoNLL-U format to see them.");
    return [el("p", { class: "note" }, words)];
  }
  const rows = byOwnGain(portrait.relations).map((relation) => {
    const id = relationId(relation);
    const gain = gainOf(relation);
    const pick = picking(relationName(relation), () => set({ colour: id }, "pick"), {
      title: t("Colour the map by this relation"),
      "data-relation": id,
    });
    const isFew = relation.count < FEWEST_PAIRS;
    const isSure = !isFew && sureGainOf(relation) > 0;
    return rowOf(
      isFew ? "is-few" : null,
      pick,
      el("td", {}, grouped(relation.count)),
      el("td", {}, orDash(relation.accuracy, 2), " ", rangeSays(relation.accuracy, relation.count)),
      el("td", {}, `${orDash(relation.baseline_accuracy, 2)} (${signed(relation.baseline_offset)})`),
      el("td", { class: isSure ? "atlas-gain" : "note" }, `${gain > 0 ? "+" : ""}${fixed(gain, 2)}`),
    );
  });
  const names = [t("Relation"), t("Words"), t("This head"), t("Best fixed offset"), t("Gain")];
  return [noteOf(orderSays()), dataTable(names, rows)];
});
