/** Wording for each stage: weights attend, scores compare, lengths contribute. */

import { madeOnce } from "../base/memoise.js";
import { t } from "../base/i18n.js";
import { fixed } from "../base/numbers.js";

/** @typedef {import("../base/decode.js").Matrix} Matrix */
/** @typedef {import("../api/types.js").Stage} Stage */

/** Sums this close to 1 are shown as 1. */
const NEAR = 1e-3;

/** @param {Stage} stage */
export function isScore(stage) {
  return stage === "raw_scores" || stage === "scaled_scores" || stage === "masked_scores";
}

/**
 * Between "query ↓" and "key →".
 * @param {Stage | "difference" | "attribution" | "rollout"} stage
 * @returns {string}
 */
export function axesVerb(stage) {
  if (stage === "weights" || stage === "rollout") return t("attends to");
  if (stage === "value_weighted" || stage === "norm_weighted") return t("receives from");
  return t("with");
}

/**
 * Between a query's name and its keys.
 * @param {Stage} stage
 * @returns {string}
 */
export function rowVerb(stage) {
  return isScore(stage) ? t("scores highest with") : axesVerb(stage);
}

/**
 * What the numbers of a row are, if not weights.
 * @param {Stage} stage
 * @returns {string}
 */
export function rowUnit(stage) {
  return {
    raw_scores: t("raw scores"),
    scaled_scores: t("scaled scores"),
    masked_scores: t("masked scores"),
    weights: "",
    value_weighted: t("lengths α ‖v‖"),
    norm_weighted: t("lengths ‖α f(x)‖"),
  }[stage];
}

/**
 * The row sums of the numbers shown, in words.
 * @param {Stage} stage
 * @param {Matrix | null} matrix
 * @param {{keys: number, isHiding: boolean, isGiven: boolean, hasSink?: boolean}} shown  keys there are; whether
 *   columns are hidden and keep their share; whether the weights were uploaded; whether a learned sink takes a share
 * @returns {string}  "" if there is nothing to say
 */
export function rowSums(stage, matrix, { keys, isHiding, isGiven, hasSink = false }) {
  if (stage !== "weights" || !matrix) return "";
  const isExact = matrix.cellRows === 1 && matrix.cellCols === 1;
  const isWhole = isExact && matrix.width === keys;
  // Of a part of the keys, or of the largest in each cell, softmax still says what all of them add up to.
  if (!isWhole && hasSink) return t("every row adds up to less than 1 over all keys: the learned sink takes the rest");
  if (!isWhole) return isGiven ? "" : t("every row adds up to 1 over all keys");
  const [least, most] = sumsOf(matrix);
  if (Math.abs(least - 1) < NEAR && Math.abs(most - 1) < NEAR) return t("every row adds up to 1");
  const ends = { least: fixed(least, 2), most: fixed(most, 2) };
  const same = ends.least === ends.most;
  const said = same ? t("every row adds up to {least}", ends) : t("rows add up to {least} … {most}", ends);
  if (hasSink && !isHiding) return t("{sums}: the learned sink takes the rest", { sums: said });
  return isHiding ? t("{sums}: hidden columns keep their share", { sums: said }) : said;
}

/** The smallest and the largest sum of a row. */
const sumsOf = madeOnce((/** @type {Matrix} */ { values, height, width }) => {
  let [least, most] = [Infinity, -Infinity];
  for (let row = 0; row < height; row++) {
    let sum = 0;
    for (let cell = row * width; cell < (row + 1) * width; cell++) sum += values[cell];
    least = Math.min(least, sum);
    most = Math.max(most, sum);
  }
  return [least, most];
});
