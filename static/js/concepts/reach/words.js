/** What the page says of reach: the verdict after a layer, one pair, a cell. */

import { sentences, t } from "../../base/i18n.js";
import { pairsIn } from "./masks.js";
import { masksOf } from "./state.js";
import { routeOf } from "./routes.js";

/** @typedef {import("./state.js").ReachData} ReachData */
/** @typedef {"none" | "reached" | "leak" | "beside" | "shut"} CellKind */

/**
 * What a measured cell is: reached as intended; reached and not intended, through the mask or not through attention;
 * allowed and not reached.
 * @param {ReachData["answer"]} answer
 * @param {number} layer
 * @param {number} query
 * @param {number} key
 * @returns {CellKind}
 */
export function kindOf({ allowed, reached, leaks }, layer, query, key) {
  if (!reached[layer][query][key]) return allowed[layer][query][key] ? "shut" : "none";
  if (!allowed[layer][query][key]) return "beside";
  return leaks[layer][query][key] ? "leak" : "reached";
}

/** @param {CellKind} kind */
export function kindName(kind) {
  return {
    none: t("not reached"),
    reached: t("reached"),
    leak: t("reached through a hole in the mask"),
    beside: t("reached, though no mask allows it"),
    shut: t("allowed, not reached"),
  }[kind];
}

/**
 * Pairs after a layer, by what they are.
 * @param {ReachData["answer"]} answer
 * @param {number} layer
 */
export function countsAfter(answer, layer) {
  const counts = { none: 0, reached: 0, leak: 0, beside: 0, shut: 0 };
  answer.reached[layer].forEach((row, query) =>
    row.forEach((_, key) => (counts[kindOf(answer, layer, query, key)] += 1)),
  );
  return counts;
}

/**
 * Measured against the masks, in a sentence.
 * @param {ReachData} data
 * @param {number} layer
 */
export function verdict({ answer }, layer) {
  const { leak, beside, shut } = countsAfter(answer, layer);
  const said = { layer, count: pairsIn(answer.reached[layer]), leaks: leak, beside, shut };
  if (beside > 0)
    return sentences([
      t("After layer {layer}: {count} pairs reached, {beside} of them allowed by no mask.", said),
      leak === 0 && t("The mask is right, the model is not."),
    ]);
  if (shut > 0) return t("After layer {layer}: {count} pairs reached; allowed and not reached: {shut}.", said);
  if (leak > 0)
    return t(
      "After layer {layer}: {count} pairs reached, just those of the mask's power, {leaks} of them through the hole.",
      said,
    );
  return t("After layer {layer}: {count} pairs reached, just those of the mask's power.", said);
}

/**
 * How a token came to a position, in a sentence.
 * @param {ReachData} data
 * @param {{query: number, key: number, layer: number}} pair
 */
export function pairSentence({ state, answer }, { query, key, layer }) {
  const said = { query, key, layer };
  const isReached = answer.reached[layer][query][key];
  if (!isReached) return t("Position {query} is not reached by position {key} after layer {layer}.", said);
  if (query === key) return t("Position {query} keeps what it has: the residual stream carries it on.", said);
  const moves = routeOf(masksOf(state), answer.mixed, { query, key, layer });
  if (!moves) return t("Position {query} is reached by position {key}, and no way is known.", said);
  const route = moves.map(({ from, to, layer: at, isAttention }) =>
    isAttention
      ? t("{from} → {to} in layer {at}", { from, to, at })
      : t("{from} → {to} beside the attention of layer {at}", { from, to, at }),
  );
  const whole = route.reduce((moves, move) => t("{moves}, {move}", { moves, move }));
  const how = t("Position {query} is reached by position {key}: {route}.", { ...said, route: whole });
  return sentences([
    how,
    !answer.allowed[layer][query][key] && t("No mask allows it."),
    answer.allowed[layer][query][key] && answer.leaks[layer][query][key] && t("It was not intended."),
  ]);
}
