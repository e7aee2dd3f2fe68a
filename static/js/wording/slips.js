/** Name the slips that several exercises have in common, each with what to do instead. */

import { t } from "../base/i18n.js";

/** @param {string} root  such as "√d_k = 8" */
export function unscaled(root) {
  return t("That is without dividing the scores by {root}: divide them before softmax.", { root });
}

/**
 * @param {string} whole  such as "d_k = 64"
 * @param {string} root  such as "√64 = 8"
 */
export function dividedByWhole(whole, root) {
  return t("That divides the scores by {whole}: the divisor is its root, {root}.", { whole, root });
}

export function notNormalised() {
  return t("That is e to the power of the score: divide it by the sum over all keys.");
}

export function sharesOfScores() {
  return t("Those are shares of the scores themselves: take e to the power of each score first.");
}

export function signLost() {
  return t("The size is right, the sign is not.");
}

/** @param {string} vector  such as "(−1, 2)" */
export function minusLost(vector) {
  return t("The minus sign in {vector} is lost.", { vector });
}

export function swapped() {
  return t("These are right, but in each other's place.");
}

export function inDegrees() {
  return t("That takes the angle in degrees: it is in radians.");
}

export function inRadians() {
  return t("That takes the angle in radians: it is in degrees.");
}

export function inBits() {
  return t("That is the logarithm to base 2: take the natural one.");
}

export function notRooted() {
  return t("That is still the square: take its root.");
}

export function dotProductItself() {
  return t("That is the dot product itself: divide it by both lengths.");
}

export function oneLength() {
  return t("That divides by one of the lengths only: divide by both.");
}

export function lengthsAdded() {
  return t("That divides by the sum of the lengths: divide by their product.");
}

export function crosswise() {
  return t("That multiplies crosswise: the first component goes with the first, the second with the second.");
}

export function notCentred() {
  return t("That leaves the mean in: LayerNorm subtracts it first.");
}

export function sampleVariance() {
  return t("That divides the sum of the squares by n − 1: the norm divides it by n.");
}

export function lengthOne() {
  return t("That is an L2 norm, to length 1: RMS norm divides by the root of the mean square, not of the sum.");
}

export function keysOnly() {
  return t("That counts the keys alone: values are cached as well, which makes it twice as much.");
}

export function withoutItself() {
  return t("That leaves out the token itself, to which it may attend as well.");
}

export function maskedCounted() {
  return t("That counts keys that the mask hides: leave them out.");
}

export function maskAfterSoftmax() {
  return t("That masks after softmax: mask the scores first, so that the weights left add up to 1.");
}

export function dealtInTurn() {
  return t("KV heads are not dealt out in turn: neighbouring query heads share one.");
}

export function countedFromOne() {
  return t("That counts from 1: positions, heads and layers are counted from 0.");
}

/**
 * @param {string} given  unit of the number that was typed
 * @param {string} factor
 * @param {string} asked  unit of the number asked for
 */
export function otherUnit(given, factor, asked) {
  return t("That is in {given}: divide it by {factor} to get {asked}.", { given, factor, asked });
}
