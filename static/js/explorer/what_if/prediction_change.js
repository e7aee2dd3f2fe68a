/** What the changes did to what the model predicts: the token most probable before and the one after, in both runs. */

import { getPredictionDifference } from "../../api/analyses.js";
import { createCachedResource } from "../../requests/cached_resource.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../api/types.js").AnalysisRequest} AnalysisRequest */
/** @typedef {import("../../api/analyses.js").PredictionDifference} PredictionDifference */
/** @typedef {import("../../api/types.js").Prediction} Prediction */

/**
 * @typedef {{kind: "embedding", before: number, after: number, cosine: number}} EmbeddingEffect  lengths, and the
 *   cosine between both, of a model that predicts nothing
 *
 * @typedef {object} PredictionEffect
 * @property {Prediction["kind"]} kind
 * @property {number} index  of the token at which it is predicted
 * @property {{id: number, text: string, before: number, after: number}[]} tokens  one, or two where another one leads
 */

const KEPT = 16;

/**
 * @param {Pick<PredictionDifference, "predictions" | "embedding">} difference
 * @param {Prediction[]} predictions
 * @returns {PredictionEffect | EmbeddingEffect | null}  of the first prediction; null where nothing is known
 */
export function effectOf(difference, predictions) {
  if (difference.embedding) {
    const { length: before, other_length: after, cosine } = difference.embedding;
    return { kind: "embedding", before, after, cosine };
  }
  const candidates = (difference.predictions[0]?.candidates ?? []).map(({ id, text, before, after }) => ({
    id: id ?? -1,
    text,
    before: before ?? 0,
    after: after ?? 0,
  }));
  if (candidates.length === 0 || predictions.length === 0) return null;
  const most = (/** @type {"before" | "after"} */ side) =>
    candidates.reduce((best, candidate) => (candidate[side] > best[side] ? candidate : best), candidates[0]);
  const leading = [...new Set([most("before"), most("after")])];
  const { kind, index } = predictions[0];
  return { kind, index, tokens: leading };
}

/**
 * @param {object} page
 * @param {Pick<import("../data/session.js").Session, "ask" | "progress">} page.session  of the run that is shown
 * @param {(request: AnalysisRequest, signal?: AbortSignal) => Promise<Analysis>} page.post
 * @param {() => void} page.onChange  an answer has come
 */
export function createPredictionChange({ session, post, onChange }) {
  const differences = createCachedResource({
    lane: "prediction change",
    onChange,
    kept: KEPT,
    limit: null,
    keyOf: (/** @type {{id: string, other: AnalysisRequest}} */ { id, other }) => JSON.stringify([id, other]),
    read: ({ id, other }, signal) =>
      session.ask(id, async (shown) => {
        const { id: second } = await post(other, signal);
        return other.changes
          ? getPredictionDifference(shown, second, signal)
          : getPredictionDifference(second, shown, signal);
      }),
  });

  return {
    /**
     * @param {Analysis | null} analysis  that is shown, before or after the changes
     * @param {string} changes  "" for none
     * @returns {PredictionEffect | EmbeddingEffect | null}  null until it is known
     */
    take(analysis, changes) {
      const { request } = session.progress.get();
      if (!analysis || !request || changes === "") {
        differences.clear();
        return null;
      }
      const { changes: made, ...unchanged } = request;
      const other = made ? unchanged : { ...unchanged, changes };
      const [difference] = differences.take([{ id: analysis.id, other }]);
      return difference ? effectOf(difference, analysis.predictions) : null;
    },
  };
}
