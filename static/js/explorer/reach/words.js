/** What is said of reach: the verdict, a pair of tokens, a cell. */

import { sentences, t } from "../../base/i18n.js";
import { exact } from "../../base/numbers.js";
import { numberedLabel, quoted } from "../../wording/token_apart.js";
import { cancellable } from "../widgets/waiting.js";
import { CODES, firstLayers } from "./differences.js";

/** @typedef {import("../../api/reach.js").Reach} Reach */
/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {{queries: Token[], keys: Token[], numbering: 0 | 1}} Sides */

/**
 * What was found, in one to three sentences.
 * @param {Reach} reach
 * @param {Sides} sides
 */
export function verdict(reach, sides) {
  const [leak] = reach.leaks;
  const more = reach.leaks.length - 1;
  return sentences([
    leak ? leakSentence(leak, sides) : t("Nothing reaches a position that the masks do not allow."),
    more > 0 && t("So are {count} further pairs that are not allowed.", { count: more }),
    reach.deviation && deviationSentence(reach, reach.deviation, sides),
    reach.unused > 0
      ? t("Pairs that are allowed and never reached: {count}.", { count: reach.unused })
      : reach.exact && t("Everything that may reach does."),
  ]);
}

/**
 * @param {import("../../api/reach.js").Leak} leak
 * @param {Sides} sides
 */
function leakSentence({ query, key, layer, way }, { queries, keys, numbering }) {
  const said = {
    query: quoted(numberedLabel(queries[query], numbering)),
    key: quoted(numberedLabel(keys[key], numbering)),
    layer: layer + numbering,
  };
  return way === "attention"
    ? t("{query} is reached by {key} from layer {layer} on, through attention, and must not be.", said)
    : t("{query} is reached by {key} from layer {layer} on, not through attention, and must not be.", said);
}

/**
 * @param {Reach} reach
 * @param {NonNullable<Reach["deviation"]>} deviation
 * @param {Sides} sides
 * @returns {string}
 */
function deviationSentence({ case: how }, { layer, position, difference }, { queries, numbering }) {
  const said = {
    query: quoted(numberedLabel(queries[position], numbering)),
    layer: (layer ?? 0) + numbering,
    difference: exact(difference),
  };
  if (how === "cached")
    return layer === null
      ? t("What enters the first layer at {query} is not what one pass gives: it differs by {difference}.", said)
      : t("The state of {query} after layer {layer} is not what one pass gives: it differs by {difference}.", said);
  return layer === null
    ? t("What enters the first layer at {query} is not what its document alone has: it differs by {difference}.", said)
    : t(
        "The state of {query} after layer {layer} is not what its document alone has: it differs by {difference}.",
        said,
      );
}

/**
 * The chosen pair: from which layer on it may be, and is, reached, and the weight that leads there.
 * @param {Reach} reach
 * @param {{query: number, key: number, layer: number}} at
 * @param {Sides} sides
 * @returns {string}
 */
export function pairSentence(reach, { query, key, layer }, { queries, keys, numbering }) {
  const [, height, width] = reach.shape;
  const cell = (layer * height + query) * width + key;
  const { may, reached } = firstLayers(reach, query, key);
  const said = {
    query: quoted(numberedLabel(queries[query], numbering)),
    key: quoted(numberedLabel(keys[key], numbering)),
    first: (reached ?? 0) + numbering,
    may: (may ?? 0) + numbering,
    weight: exact(reach.weights[cell]),
    change: exact(reach.change[cell]),
    layer: layer + numbering,
  };
  if (reach.unknown.includes(key))
    return keys.some(({ box }) => box)
      ? t("{key} stands for no patch, so there is nothing to replace it by.", said)
      : t("Replacing {key} changes nothing, so what it reaches is not known.", said);
  const allowed = may === null ? t("The masks never allow it.") : t("The masks allow it from layer {may} on.", said);
  const result =
    reached === null
      ? t("{query} is not reached by {key} after any layer.", said)
      : t("{query} is reached by {key} from layer {first} on.", said);
  const numbers = t(
    "In layer {layer} the largest weight of a head is {weight}; after it the state changes by {change}.",
    said,
  );
  return sentences([result, allowed, numbers]);
}

/**
 * What a cell of the measured map says.
 * @param {number} code
 * @returns {string}
 */
export function codeName(code) {
  if (code === CODES.leak) return t("reached, not allowed");
  if (code === CODES.shut) return t("allowed, not reached");
  if (code === CODES.unknown) return t("not known: not replaced");
  return code === CODES.reached ? t("reached") : t("not reached");
}

/**
 * How far the server is.
 * @param {{done: number, total: number | null} | null} progress  null before it is known
 * @param {boolean} isStopped
 * @returns {import("../widgets/waiting.js").WaitingData}
 */
export function waitingWords(progress, isStopped) {
  const total = progress?.total ?? null;
  const running =
    progress && total !== null
      ? t("{done} of {total} copies, each with one token replaced", { done: progress.done, total })
      : t("Replacing each token in turn …");
  return cancellable(progress && total ? progress.done / total : null, isStopped, running);
}
