/** How additive attention judges one pair, then every key: concatenate, hidden sums, tanh, one number, weights. */

import { hiddenSteps } from "./hidden_steps.js";
import { isRuledOut } from "./numbers.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("./state.js").ScoringState} ScoringState */

/** @param {import("./numbers.js").ScoringData} data @returns {import("../frame/film.js").Shot<ScoringState>[]} */
export function film({ state, first }) {
  if (state.mechanism !== "additive") return [];
  const pair = hiddenSteps(first, state);
  const [query, keys] = [state.query, first.keys.length];
  const softmax = pair.length + 4;
  return [
    ...pair.map(({ says }, index) => ({ patch: { step: index + 1 }, says })),
    {
      patch: { step: pair.length + 1 },
      says: t("The same hidden layer judges all {keys} keys: a row of scores for query {query}.", { keys, query }),
    },
    {
      patch: { step: softmax },
      says: isRuledOut(first.masked_scores[query])
        ? t("Query {query} may attend to nothing: softmax is undefined there, and its weights are set to 0.", { query })
        : t("From here on nothing is new: softmax turns the row of scores into weights."),
    },
  ];
}
