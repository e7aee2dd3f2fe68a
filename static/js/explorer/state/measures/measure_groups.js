/**
 * Measures of heads that cost a run of their own, in groups that one run gives, and how the URL asks for them: for a
 * group by its name in `measures`, or because heads are coloured, sorted or filtered by one of its measures.
 */

import { getHeadScores, headScoresPath, isUploaded, isWeightsOnly } from "../../../api/analyses.js";
import { canAnswer } from "../../../requests/recorded_answers.js";
import { parseLimits } from "../head_list.js";
import { t } from "../../../base/i18n.js";
import { CELL_GROUP } from "./cell_measures.js";
import { OUTPUT_GROUPS } from "./output_measures.js";

/** @typedef {import("../../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../../api/types.js").MetricInfo} MetricInfo */
/** @typedef {import("../../../api/types.js").Metrics} Metrics */
/** @typedef {import("../../../api/types.js").Part} Part */
/** @typedef {import("../view_state.js").ViewState} ViewState */
/** @typedef {Pick<ViewState, "measures" | "metric" | "order" | "limits">} Wish  the part of the URL that names measures */
/** @typedef {Wish & Pick<ViewState, "query" | "key" | "output" | "answer" | "against" | "numbering">} Measuring  and what it says of the output */

/**
 * @typedef {object} Question  what is measured
 * @property {Analysis} analysis
 * @property {Part} part
 * @property {Pick<ViewState, "query" | "key" | "output" | "answer" | "against" | "numbering">} value
 * @property {<T>(id: string, question: (id: string) => Promise<T>) => Promise<T>} ask  asks about an analysis
 */

/**
 * @typedef {object} Found
 * @property {{name: string, scores: Metrics}[]} parts
 * @property {Record<string, MetricInfo>} info
 * @property {string} how  it was measured, in the reader's language
 * @property {boolean} isOfModel  whatever the text and the changes
 */

/**
 * @typedef {object} MeasureGroup  measures that one run gives
 * @property {string} name  as in the URL
 * @property {(analysis: Analysis, part: Part) => boolean} fits  whether they can be had
 * @property {(question: Question) => string} of  what they are of: for the same, nothing is measured twice
 * @property {(question: Question, signal: AbortSignal) => Promise<Found>} read
 * @property {() => {title: string, action: string, cost: string, running: string}} words
 * @property {() => Record<string, string>} titles  by measure
 * @property {() => MetricInfo} [info]  of the one measure, where the server's answer does not say
 */

/** Fewer tokens hold no two halves of random tokens. */
const LEAST_TOKENS = 6;

/** @type {readonly MeasureGroup[]} */
export const GROUPS = [
  {
    name: "random",
    fits: ({ id, model }, part) =>
      typeof model !== "string" &&
      model.reads === "text" &&
      model.kind !== null &&
      !isUploaded(id) &&
      !isWeightsOnly({ model }) &&
      part.query_side === part.key_side &&
      (model.max_tokens ?? Infinity) >= LEAST_TOKENS &&
      canAnswer(headScoresPath(model.id)),
    of: ({ analysis }) => modelOf(analysis),
    async read({ analysis }, signal) {
      return fromScores(await getHeadScores(modelOf(analysis), signal));
    },
    words: () => ({
      title: t("On random tokens"),
      action: t("Measure induction (random tokens)"),
      cost: t("runs the model on repeated random tokens"),
      running: t("Measuring on random tokens …"),
    }),
    titles: () => ({
      induction: t("Induction"),
      duplicate_token: t("Duplicate token"),
      previous_token_random: t("Previous token (random text)"),
    }),
  },
  ...OUTPUT_GROUPS,
  CELL_GROUP,
];

/**
 * What `/api/head_scores` answers.
 * @param {import("../../../api/types.js").HeadScores} answer
 * @returns {Found}
 */
function fromScores({ parts, score_info: info, sequences, period }) {
  return {
    parts,
    info,
    how: t("{sequences} texts of {period} random tokens, each repeated once.", { sequences, period }),
    isOfModel: true,
  };
}

/**
 * Whether a measure can be had for a part, be it not measured yet.
 * @param {Analysis} analysis
 * @param {Part} part
 * @param {string} measure
 */
export function canMeasure(analysis, part, measure) {
  return GROUPS.some((group) => measure in group.titles() && group.fits(analysis, part));
}

/**
 * @param {Wish} wish
 * @param {MeasureGroup} group
 * @returns {boolean}
 */
export function isWanted({ measures, metric, order, limits }, group) {
  const named = [metric, order.replace(/^-/, ""), ...Object.keys(parseLimits(limits))];
  const titles = group.titles();
  return measures.split("_").includes(group.name) || named.some((name) => Object.hasOwn(titles, name));
}

/**
 * The names of the groups that are shown.
 * @param {Analysis} analysis
 * @param {Part} part
 * @param {Wish} wish
 */
export function groupsShown(analysis, part, wish) {
  return GROUPS.filter((group) => group.fits(analysis, part) && isWanted(wish, group)).map(({ name }) => name);
}

/**
 * The change to the URL that asks for a group.
 * @param {Wish} wish
 * @param {MeasureGroup} group
 * @returns {Partial<ViewState>}
 */
export function wanting({ measures }, { name }) {
  const others = measures.split("_").filter((measure) => measure !== "" && measure !== name);
  return { measures: [...others, name].join("_") };
}

/**
 * The change to the URL that no longer asks for a group, in any way.
 * @param {Wish} wish
 * @param {MeasureGroup} group
 * @returns {Partial<ViewState>}
 */
export function leaving({ measures, metric, order, limits }, group) {
  const titles = group.titles();
  const isOf = (/** @type {string} */ name) => Object.hasOwn(titles, name);
  const others = limits.split("__").filter((limit) => !isOf(limit.split("~")[0]));
  return {
    measures: measures
      .split("_")
      .filter((measure) => measure !== group.name)
      .join("_"),
    limits: others.join("__"),
    ...(isOf(metric) && { metric: "", sorted: false }),
    ...(isOf(order.replace(/^-/, "")) && { order: "" }),
  };
}

/** @param {Analysis} analysis */
function modelOf({ model }) {
  return typeof model === "string" ? model : model.id;
}
