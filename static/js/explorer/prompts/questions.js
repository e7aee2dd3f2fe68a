/** What is asked about a set of prompts, how far the server has come, and stopping it. */

import {
  askAgain,
  getPromptCell,
  getPromptMeasures,
  getPromptValues,
  getPromptWeights,
  getPromptsProgress,
  postPrompts,
} from "../../api/prompts.js";
import { ApiError } from "../../requests/api_request.js";
import { createCachedResource } from "../../requests/cached_resource.js";

/** @typedef {import("../../api/prompts.js").Prompts} Prompts */
/** @typedef {import("../state/prompt_set.js").PromptRequest} PromptRequest */
/** @typedef {import("../../api/prompts.js").PromptMeasures} PromptMeasures */
/** @typedef {{layer: number, head: number}} HeadAt */

const LANE = "prompts";
/** Milliseconds before the first look at the progress, and between two. */
const [PATIENCE, EVERY] = [300, 500];
const KEPT = 24;

/**
 * @typedef {object} Found
 * @property {Prompts | null} prompts
 * @property {import("../../api/prompts.js").PromptMeasures | null} measures
 * @property {import("../../api/prompts.js").PromptWeights | null} weights
 * @property {import("../../api/prompts.js").PromptValues | null} values
 * @property {import("../../api/prompts.js").PromptCell | null} cell
 * @property {import("../../api/prompts.js").PromptCell["values"]} cellValues  of the chosen head in each prompt
 */

/** @param {() => void} schedule */
export function createPromptQuestions(schedule) {
  const sets = createCachedResource({
    ...{ lane: LANE, limit: null, kept: 4, onChange: schedule },
    read: (/** @type {PromptRequest} */ request, signal) => postPrompts(request, signal),
  });
  /**
   * @template Q, R
   * @param {(id: string, question: Q, signal: AbortSignal) => Promise<R>} read
   */
  const about = (read) =>
    createCachedResource({
      ...{ lane: LANE, limit: null, kept: KEPT, onChange: schedule },
      read: (/** @type {{id: string, request: PromptRequest, question: Q}} */ { id, request, question }, signal) =>
        askAgain(request, signal, () => read(id, question, signal)),
      keyOf: ({ id, question }) => `${id} ${JSON.stringify(question)}`,
    });
  const measures = about(getPromptMeasures);
  const weights = about(getPromptWeights);
  const values = about(getPromptValues);
  const cells = about(getPromptCell);
  const cellsOfHead = about(getPromptCell);
  const all = [sets, measures, weights, values, cells, cellsOfHead];
  const progress = createProgress(schedule);
  /** The set that was stopped. */
  let stopped = "";

  function clear() {
    for (const one of all) one.clear();
    progress.watch(null);
  }

  return {
    /**
     * @param {PromptRequest} request
     * @param {(prompts: Prompts, measures: PromptMeasures) => {at: HeadAt, align: import("../../api/prompts.js").AlignmentRule, cell: {query: number, key: number} | null}} look
     * @returns {Found}
     */
    take(request, look) {
      const nothing = { prompts: null, measures: null, weights: null, values: null, cell: null, cellValues: null };
      if (stopped === JSON.stringify(request)) {
        const prompts = sets.peek(request) ?? null;
        clear();
        return { ...nothing, prompts };
      }
      stopped = "";
      const [prompts] = sets.take([request]);
      if (!prompts) {
        for (const one of all.slice(1)) one.clear();
        progress.watch(null);
        return nothing;
      }
      const { id } = prompts;
      const of = (/** @type {null} */ question) => ({ id, request, question });
      const [measured] = measures.take([of(null)]);
      progress.watch(measured ? null : id);
      // The rest needs the same analyses: it is asked for once they are there.
      if (!measured) return { ...nothing, prompts };
      const { at, align, cell } = look(prompts, measured);
      const [[found], [each]] = [
        weights.take([{ id, request, question: { ...at, align } }]),
        values.take([{ id, request, question: at }]),
      ];
      const [one] = cells.take(cell ? [{ id, request, question: { ...cell, align } }] : []);
      const [ofHead] = cellsOfHead.take(cell ? [{ id, request, question: { ...cell, align, ...at } }] : []);
      const cellValues = ofHead?.values ?? null;
      return { prompts, measures: measured, weights: found, values: each, cell: one ?? null, cellValues };
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
    failure: () => all.map((one) => one.failure()).find((failure) => failure !== null) ?? null,
    clear,
  };
}

/**
 * Looks from time to time how many prompts are done.
 * @param {() => void} schedule
 */
function createProgress(schedule) {
  /** @type {{done: number, total: number} | null} */
  let known = null;
  let watched = "";
  let stop = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  async function look() {
    const { signal } = stop;
    try {
      known = await getPromptsProgress(watched, signal);
    } catch (error) {
      // What goes wrong here the request for the measures will tell.
      if (!signal.aborted && !(error instanceof ApiError)) throw error;
    }
    if (signal.aborted) return;
    schedule();
    timer = setTimeout(look, EVERY);
  }

  return {
    now: () => known,
    /** @param {string | null} id */
    watch(id) {
      if (watched === (id ?? "")) return;
      watched = id ?? "";
      stop.abort();
      clearTimeout(timer);
      stop = new AbortController();
      if (id === null) return;
      known = null;
      timer = setTimeout(look, PATIENCE);
    },
  };
}
