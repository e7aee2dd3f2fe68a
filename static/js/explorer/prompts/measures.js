/** Every measure of the heads over the prompts, as the scatter and the table of heads take them. */

import { t } from "../../base/i18n.js";
import { metricTitle } from "../../wording/labels.js";
import { GROUPS } from "../state/measures/measure_groups.js";
import { OUTPUT_GROUPS } from "../state/measures/output_measures.js";

/** @typedef {import("../../api/prompts.js").Effect} Effect */
/** @typedef {import("../../api/prompts.js").PromptMeasures} PromptMeasures */
/** @typedef {import("../../api/types.js").MetricInfo & {remark?: string}} Info */

/**
 * @typedef {object} Averages
 * @property {{layers: number, heads: number, metrics: Record<string, number[][]>}} part  means
 * @property {Record<string, number[][]>} deviations
 * @property {Record<string, Info>} info
 */

/**
 * The measures of an answer, and the effect of another one.
 * @param {PromptMeasures} measures
 * @param {PromptMeasures | null} effects
 * @returns {PromptMeasures}
 */
export function withEffects(measures, effects) {
  return effects ? { ...measures, measures: { ...measures.measures, ...effects.measures } } : measures;
}

/**
 * @param {PromptMeasures} found
 * @param {number} total  prompts
 * @returns {Averages}
 */
export function averagesOf({ measures, metric_info: infos }, total) {
  const [first] = Object.values(measures);
  const entries = Object.entries(measures);
  return {
    part: {
      layers: first.mean.length,
      heads: first.mean[0].length,
      metrics: Object.fromEntries(entries.map(([name, { mean }]) => [name, mean])),
    },
    deviations: Object.fromEntries(entries.map(([name, { deviation }]) => [name, deviation])),
    info: Object.fromEntries(
      entries.map(([name, { count }]) => [name, { ...infos[name], remark: definedIn(count, total) }]),
    ),
  };
}

/**
 * In how many prompts a measure is defined, where it is not in all.
 * @param {number} count
 * @param {number} total
 */
export function definedIn(count, total) {
  return count === total ? "" : t("Defined in {count} of {total} prompts.", { count, total });
}

/**
 * The measures that no prompt has, each with its reason.
 * @param {PromptMeasures} found
 */
export function undefinedWords({ undefined: missing, metric_info: infos }) {
  /** @type {Map<string, string[]>} */
  const byReason = new Map();
  for (const [name, why] of Object.entries(missing)) {
    byReason.set(why, [...(byReason.get(why) ?? []), metricTitle(name, infos[name])]);
  }
  const said = [...byReason].map(([reason, titles]) =>
    t("{measures} ({reason})", { measures: titles.join(", "), reason }),
  );
  return said.length === 0 ? "" : t("Not defined here: {list}.", { list: said.join("; ") });
}

/**
 * Where measures are that no text has a part in, if the model has them.
 * @param {import("../../api/types.js").Analysis} analysis
 * @param {import("../../api/types.js").Part} part
 */
export function elsewhereWords(analysis, part) {
  const isMeasured = GROUPS.some((group) => group.name === "random" && group.fits(analysis, part));
  return isMeasured ? t("Scores on random tokens are the same whatever the prompts: they are in the view Heads.") : "";
}

/** @param {string} name  of a measure @returns {name is Effect} */
export function isEffect(name) {
  return name === "direct_effect" || name === "attribution";
}

/**
 * The effects that this model may have, by name and title; what it cannot have is not offered.
 * @param {import("../../api/types.js").Analysis} analysis
 * @param {import("../../api/types.js").Part} part
 * @returns {[Effect, string][]}
 */
export function effectsOf(analysis, part) {
  const groups = OUTPUT_GROUPS.filter((group) => group.fits(analysis, part));
  return groups.flatMap((group) =>
    Object.entries(group.titles()).filter(
      /** @type {(one: [string, string]) => one is [Effect, string]} */ (([name]) => isEffect(name)),
    ),
  );
}

/**
 * Which output the effects are on.
 * @param {boolean} isExpected  whether tokens are expected
 * @param {boolean} predicts  whether the model predicts the next token
 */
export function outputWords(isExpected, predicts) {
  if (isExpected && predicts) return t("On the expected token");
  return predicts ? t("On the most probable next token") : t("On the model's output");
}
