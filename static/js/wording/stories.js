/** Names of tensors and stages: plain, or in one of three analogies. */

import { t } from "../base/i18n.js";

/** @typedef {"queries" | "keys" | "values" | "raw_scores" | "masked_scores" | "weights" | "output"} Told */

/**
 * @param {"plain" | "library" | "sky" | "survey"} story
 * @returns {Record<Told, string>}
 */
export function captions(story) {
  if (story === "library") {
    return {
      queries: t("What each reader asks for"),
      keys: t("The label of each book in the catalogue"),
      values: t("What is written inside each book"),
      raw_scores: t("How well each label matches the request"),
      masked_scores: t("Books that may not be borrowed are off the shelf"),
      weights: t("How much of each book is read"),
      output: t("What the reader takes home"),
    };
  }
  if (story === "sky") {
    return {
      queries: t("Where each telescope points"),
      keys: t("Where each star stands"),
      values: t("The light each star sends"),
      raw_scores: t("How close the star is to the line of sight"),
      masked_scores: t("Stars below the horizon are dark"),
      weights: t("How much light of each star comes in"),
      output: t("What the telescope sees"),
    };
  }
  if (story === "survey") {
    return {
      queries: t("What each surveyor looks out for"),
      keys: t("The sign by which each landmark is recognised"),
      values: t("Where each landmark stands"),
      raw_scores: t("How well each sign matches what is looked for"),
      masked_scores: t("Landmarks behind the hill are out of sight"),
      weights: t("How much each landmark counts"),
      output: t("Where the surveyor stands, from all of them"),
    };
  }
  return {
    queries: t("One row for each token that attends"),
    keys: t("One row for each token attended to"),
    values: t("What a token passes on when it is attended to"),
    raw_scores: t("Compared: each query with each key"),
    masked_scores: t("Masked: nothing is attended to where there is −∞"),
    weights: t("Normalised: each row adds up to 1"),
    output: t("Mixed: each value in proportion to its weight"),
  };
}
