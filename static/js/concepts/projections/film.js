/** A word asks the others: query after query, what it is compared with, what matches, and what it takes home. */

import { fixed } from "../../base/numbers.js";
import { t } from "../../base/i18n.js";
import { tokenNames } from "./names.js";

/** @typedef {import("./state.js").ProjectionsData} ProjectionsData */

/** @param {ProjectionsData} data @returns {import("../frame/film.js").Shot<import("./state.js").ProjectionsState>[]} */
export function film({ state, answer }) {
  if (state.view !== "three") return [];
  const names = tokenNames(state, answer);
  return answer.weights.flatMap((weights, query) => {
    const most = Math.max(...weights);
    const best = weights.indexOf(most);
    const said = { word: names[query], best: names[best], weight: fixed(most, 2) };
    const isEven = weights.every((weight) => most - weight < 1e-9);
    const [matched, taken] = isEven
      ? [t("All keys match equally well."), t("“{word}” receives the mean of all values.", said)]
      : best === query
        ? [
            t("Its own key matches best: “{word}” gives itself a weight of {weight}.", said),
            t("“{word}” receives a mixture of all values, mostly its own.", said),
          ]
        : [
            t("The key of “{best}” matches best: “{word}” gives it a weight of {weight}.", said),
            t("“{word}” receives a mixture of all values, mostly that of “{best}”.", said),
          ];
    return [
      { patch: { query, step: 4 }, says: t("“{word}” asks: its query is compared with every key.", said) },
      { patch: { query, step: 5 }, says: matched },
      { patch: { query, step: 6 }, says: taken },
    ];
  });
}
