/** What is asked about a set of prompts, how far the server has come, and stopping it. */

import {
  askAgain,
  getPromptAnswers,
  getPromptCell,
  getPromptMeasures,
  getPromptValues,
  getPromptWeights,
  getPromptsProgress,
  postPrompts,
} from "../../api/prompts.js";
import { createCachedResource } from "../../requests/cached_resource.js";
import { watchedProgress } from "../../requests/watched_progress.js";

/** @typedef {import("../../api/prompts.js").Prompts} Prompts */
/** @typedef {import("../state/prompt_set.js").PromptRequest} PromptRequest */
/** @typedef {import("../../api/prompts.js").PromptMeasures} PromptMeasures */
/** @typedef {{layer: number, head: number}} HeadAt */

const LANE = "prompts";
const KEPT = 24;

/**
 * @typedef {object} Found
 * @property {Prompts | null} prompts
 * @property {import("../../api/prompts.js").PromptMeasures | null} measures
 * @property {import("../../api/prompts.js").PromptMeasures | null} effects  the same with the effect that is asked for
 * @property {import("../../api/prompts.js").PromptWeights | null} weights
 * @property {import("../../api/prompts.js").PromptValues | null} values
 * @property {import("../../api/prompts.js").PromptCell | null} cell
 * @property {import("../../api/prompts.js").PromptAnswers | null} answers  where tokens are expected
 * @property {import("../../api/prompts.js").PromptCell["values"]} cellValues  of the chosen head in each prompt
 */

/**
 * @typedef {object} Asked
 * @property {string} part  of the model
 * @property {import("../../api/prompts.js").AlignmentRule} align
 * @property {{query: number, key: number} | null} cell
 * @property {import("../../api/prompts.js").Effect} [effect]
 */

/** @param {() => void} schedule */
export function createPromptQuestions(schedule) {
  const sets = createCachedResource({
    lane: LANE,
    limit: null,
    kept: 4,
    onChange: schedule,
    read: (/** @type {PromptRequest} */ request, signal) => postPrompts(request, signal),
  });
  /**
   * @template Q, R
   * @param {(id: string, question: Q, signal: AbortSignal) => Promise<R>} read
   */
  const about = (read) =>
    createCachedResource({
      lane: LANE,
      limit: null,
      kept: KEPT,
      onChange: schedule,
      read: (/** @type {{id: string, request: PromptRequest, question: Q}} */ { id, request, question }, signal) =>
        askAgain(request, signal, () => read(id, question, signal)),
      keyOf: ({ id, question }) => `${id} ${JSON.stringify(question)}`,
    });
  const measures = about(getPromptMeasures);
  const effects = about(getPromptMeasures);
  const weights = about(getPromptWeights);
  const values = about(getPromptValues);
  const cells = about(getPromptCell);
  const cellsOfHead = about(getPromptCell);
  const answers = about(getPromptAnswers);
  const resources = [sets, measures, effects, weights, values, cells, cellsOfHead, answers];
  const progress = watchedProgress(getPromptsProgress, schedule);
  /** The set that was stopped. */
  let stopped = "";

  function clear() {
    for (const resource of resources) resource.clear();
    progress.watch(null);
  }

  return {
    /**
     * @param {PromptRequest} request
     * @param {(prompts: Prompts) => Asked} ask
     * @param {(measures: PromptMeasures) => HeadAt} headIn
     * @returns {Found}
     */
    take(request, ask, headIn) {
      const none = { prompts: null, measures: null, effects: null, weights: null };
      const nothing = { ...none, values: null, cell: null, cellValues: null, answers: null };
      if (stopped === JSON.stringify(request)) {
        const prompts = sets.peek(request) ?? null;
        clear();
        return { ...nothing, prompts };
      }
      stopped = "";
      const [prompts] = sets.take([request]);
      if (!prompts) {
        for (const resource of resources.slice(1)) resource.clear();
        progress.watch(null);
        return nothing;
      }
      const { id } = prompts;
      const { part, align, cell, effect } = ask(prompts);
      const [measured] = measures.take([{ id, request, question: { part } }]);
      progress.watch(measured ? null : id);
      // The rest needs the same analyses: it is asked for once they are there.
      if (!measured) return { ...nothing, prompts };
      const head = headIn(measured);
      const [affected] = effects.take(effect ? [{ id, request, question: { part, effect } }] : []);
      const [[headWeights], [headValues]] = [
        weights.take([{ id, request, question: { part, ...head, align } }]),
        values.take([{ id, request, question: { part, effect: affected ? effect : undefined, ...head } }]),
      ];
      const [cellMeans] = cells.take(cell ? [{ id, request, question: { part, ...cell, align } }] : []);
      const [ofHead] = cellsOfHead.take(cell ? [{ id, request, question: { part, ...cell, align, ...head } }] : []);
      const cellValues = ofHead?.values ?? null;
      const [rated] = answers.take(request.answers ? [{ id, request, question: null }] : []);
      const ofCell = { cell: cellMeans ?? null, cellValues };
      const ofHeads = { measures: measured, effects: affected ?? null, values: headValues };
      return { prompts, ...ofHeads, weights: headWeights, ...ofCell, answers: rated ?? null };
    },
    /** How far the server has come; null where it is not known. */
    progress: progress.now,
    /** @param {PromptRequest} request */
    stop(request) {
      stopped = JSON.stringify(request);
      clear();
      schedule();
    },
    goOn() {
      stopped = "";
      schedule();
    },
    /** @param {PromptRequest} request */
    isStopped: (request) => stopped === JSON.stringify(request),
    failure: () => resources.map((resource) => resource.failure()).find((failure) => failure !== null) ?? null,
    clear,
  };
}
