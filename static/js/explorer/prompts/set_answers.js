/** What the server answers about a set of prompts: each answer is kept for a while. */

import {
  askAgain,
  getPromptAnswers,
  getPromptCell,
  getPromptMeasures,
  getPromptValues,
  getPromptWeights,
  postPrompts,
} from "../../api/prompts.js";
import { createCachedResource } from "../../requests/cached_resource.js";

/** @typedef {import("../state/prompt_set.js").PromptRequest} PromptRequest */

const LANE = "prompts";
const KEPT = { sets: 4, answers: 24 };

/** @param {() => void} onChange */
export function createSetAnswers(onChange) {
  const settings = { lane: LANE, limit: null, onChange };
  /**
   * @template Q, R
   * @param {(id: string, question: Q, signal: AbortSignal) => Promise<R>} read
   */
  const about = (read) =>
    createCachedResource({
      ...settings,
      kept: KEPT.answers,
      read: (/** @type {{id: string, request: PromptRequest, question: Q}} */ { id, request, question }, signal) =>
        askAgain(request, signal, () => read(id, question, signal)),
      keyOf: ({ id, question }) => `${id} ${JSON.stringify(question)}`,
    });
  return {
    sets: createCachedResource({
      ...settings,
      kept: KEPT.sets,
      read: (/** @type {PromptRequest} */ request, signal) => postPrompts(request, signal),
    }),
    measures: about(getPromptMeasures),
    effects: about(getPromptMeasures),
    weights: about(getPromptWeights),
    values: about(getPromptValues),
    cells: about(getPromptCell),
    cellsOfHead: about(getPromptCell),
    answers: about(getPromptAnswers),
  };
}

/** @typedef {ReturnType<typeof createSetAnswers>} SetAnswers */
