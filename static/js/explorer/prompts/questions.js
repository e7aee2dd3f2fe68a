/** What is asked about a set of prompts, how far the server has come, and stopping it. */

import { getPromptsProgress } from "../../api/prompts.js";
import { createStopping } from "../../requests/stopping.js";
import { watchedProgress } from "../../requests/watched_progress.js";
import { createSetAnswers } from "./set_answers.js";

/** @typedef {import("../../api/prompts.js").Prompts} Prompts */
/** @typedef {import("../state/prompt_set.js").PromptRequest} PromptRequest */
/** @typedef {import("../../api/prompts.js").PromptMeasures} PromptMeasures */
/** @typedef {{layer: number, head: number}} HeadAt */

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

/** @type {Found} */
const NOTHING = {
  prompts: null,
  measures: null,
  effects: null,
  weights: null,
  values: null,
  cell: null,
  answers: null,
  cellValues: null,
};

/**
 * @param {() => void} schedule
 * @param {import("./set_answers.js").SetAnswers} [from]
 * @param {Pick<ReturnType<typeof watchedProgress<string, import("../../api/types.js").Schemas["PromptsProgress"]>>, "now" | "watch">} [progress]
 */
export function createPromptQuestions(
  schedule,
  from = createSetAnswers(schedule),
  progress = watchedProgress(getPromptsProgress, schedule),
) {
  const { sets, ...rest } = from;
  const resources = [sets, ...Object.values(rest)];
  const stopping = createStopping(schedule, () => clear());

  function clear(all = resources) {
    for (const resource of all) resource.clear();
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
      if (stopping.holds(request)) return { ...NOTHING, prompts: sets.peek(request) ?? null };
      const [prompts] = sets.take([request]);
      if (!prompts) {
        clear(Object.values(rest));
        return NOTHING;
      }
      const set = { id: prompts.id, request };
      const asked = ask(prompts);
      const [measures] = rest.measures.take([{ ...set, question: { part: asked.part } }]);
      progress.watch(measures ? null : prompts.id);
      // The rest needs the same analyses: it is asked for once they are there.
      if (!measures) return { ...NOTHING, prompts };
      return { prompts, measures, ...takeRest(rest, set, asked, headIn(measures)) };
    },
    /** How far the server has come; null where it is not known. */
    progress: progress.now,
    ...stopping.choices,
    failure: () => resources.map((resource) => resource.failure()).find((failure) => failure !== null) ?? null,
    clear: () => clear(),
  };
}

/**
 * What there is beside the measures: of the effect, of the chosen head, of the chosen cell, and of what is expected.
 * @param {Omit<import("./set_answers.js").SetAnswers, "sets">} from
 * @param {{id: string, request: PromptRequest}} set
 * @param {Asked} asked
 * @param {HeadAt} head
 * @returns {Omit<Found, "prompts" | "measures">}
 */
function takeRest(from, set, { part, align, cell, effect }, head) {
  const [effects] = from.effects.take(effect ? [{ ...set, question: { part, effect } }] : []);
  const [weights] = from.weights.take([{ ...set, question: { part, ...head, align } }]);
  const [values] = from.values.take([{ ...set, question: { part, effect: effects ? effect : undefined, ...head } }]);
  const [means] = from.cells.take(cell ? [{ ...set, question: { part, ...cell, align } }] : []);
  const [ofHead] = from.cellsOfHead.take(cell ? [{ ...set, question: { part, ...cell, align, ...head } }] : []);
  const [answers] = from.answers.take(set.request.answers ? [{ ...set, question: null }] : []);
  return {
    effects: effects ?? null,
    weights,
    values,
    cell: means ?? null,
    cellValues: ofHead?.values ?? null,
    answers: answers ?? null,
  };
}
