/** Request the numbers of attention chained over layers: of one query, the flow to it, and of all queries. */

import { getFlow, getRollout, getRolloutLayers } from "../../api/rollout.js";
import { isRecorded } from "../../requests/recorded_answers.js";
import { t } from "../../base/i18n.js";
import { grouped } from "../../base/numbers.js";
import { answersOf, createProblem } from "../widgets/panel.js";

/**
 * @typedef {object} RolloutAnswers  null for what is not there, or not yet
 * @property {Float32Array | null} rollout  layers × keys
 * @property {Float32Array | null} means  layers × keys
 * @property {Float32Array | null} flow  of the chosen layer
 * @property {import("../../base/decode.js").Matrix | null} matrix  queries × keys after the chosen layer
 * @property {string} noFlow  why there is none; "" where there is
 * @property {string} noWhole  why there is no rollout of all queries
 */

/** Rollouts of all queries that are kept. */
const KEPT_WHOLE = 4;

/** @param {import("../widgets/panel.js").Bench} bench */
export function createRolloutQuestions(bench) {
  const layers = answersOf(bench, "rollout/layers", getRolloutLayers);
  const flows = answersOf(bench, "flow", getFlow);
  const wholes = answersOf(bench, "rollout", getRollout, { kept: KEPT_WHOLE });
  const problems = {
    chosen: createProblem(...(isRecorded() ? [layers] : [layers, flows])),
    whole: createProblem(wholes),
  };
  return {
    /** @param {Pick<import("../widgets/panel.js").Scene, "value" | "analysis" | "part" | "keys">} scene @returns {RolloutAnswers} */
    take({ value, analysis, part, keys }) {
      const { layer } = value;
      const query = value.query ?? 0;
      const [ofLayers] = layers.take(analysis.id, [{ part: part.name, query }]);
      const { noFlow, noWhole } = obstaclesTo(ofLayers, keys.length);
      const [flow = null] = flows.take(analysis.id, ofLayers && !noFlow ? [{ part: part.name, layer, query }] : []);
      const [matrix = null] = wholes.take(analysis.id, ofLayers && !noWhole ? [{ part: part.name, layer }] : []);
      const { means, rollout } = ofLayers ?? { means: null, rollout: null };
      return { rollout, means, flow, matrix, noFlow: noFlow || notHere(flows.failure()), noWhole };
    },
    problems,
    isFailed: () => layers.failure()?.kind === "failed",
    asks: [layers, flows, wholes, ...Object.values(problems)],
  };
}

/**
 * The note in a saved file on what it does not hold.
 * @param {import("../../requests/request_scheduler.js").Failure | null} failure
 * @returns {string}
 */
function notHere(failure) {
  return isRecorded() && failure?.error instanceof Error ? failure.error.message : "";
}

/**
 * Why there is no flow, and no rollout of all queries; "" where there is, or while it is not known.
 * @param {{maxFlow: number, maxWhole: number} | null} ofLayers
 * @param {number} tokens
 */
export function obstaclesTo(ofLayers, tokens) {
  const said = (/** @type {number} */ most) => ({ most: grouped(most), count: grouped(tokens) });
  return {
    noFlow:
      ofLayers && tokens > ofLayers.maxFlow
        ? t("Flow is computed for up to {most} tokens; this text has {count}.", said(ofLayers.maxFlow))
        : "",
    noWhole:
      ofLayers && tokens > ofLayers.maxWhole
        ? t(
            "Available for up to {most} tokens; this text has {count}. Choose one query at a time.",
            said(ofLayers.maxWhole),
          )
        : "",
  };
}
