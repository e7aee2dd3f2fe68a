/** What has come of a set of prompts: how far the server is, the prompts, their averages. */

import { fill, say } from "../../base/dom.js";
import { remembering } from "../../base/memoise.js";
import { createAverages } from "./averages.js";
import { askedOf, effectIn, headIn } from "./chosen.js";
import { CELL, createControls } from "./controls.js";
import { effectsOf, outputWords, withEffects } from "./measures.js";
import { createPattern } from "./pattern.js";
import { waitingWords } from "./words.js";

/** @typedef {import("../widgets/panel.js").Scene} Scene */

/**
 * @param {ReturnType<typeof import("./layout.js").layOut>} boxes
 * @param {Pick<import("../widgets/panel.js").Bench, "state" | "schedule" | "remember">} bench
 * @param {object} parts
 * @param {ReturnType<typeof import("./layout.js").mountViews>} parts.views
 * @param {ReturnType<typeof import("./questions.js").createPromptQuestions>} parts.questions
 * @param {ReturnType<typeof import("../widgets/panel.js").createProblem>} parts.problem
 */
export function createResults(boxes, { state, schedule, remember }, { views, questions, problem }) {
  const controls = createControls(state);
  fill(boxes.controls, controls.element);
  const pattern = createPattern(boxes.pattern, {
    onPick: ({ query, key }, origin) => state.set({ promptCell: `${query}.${key}`, promptMeasure: CELL }, origin),
    schedule,
  });
  const drawAverages = createAverages(boxes, { controls, pattern, views, remember });
  const mergedOnce = remembering(withEffects);
  return {
    pattern,
    /**
     * @param {Scene} scene
     * @param {object} set
     * @param {import("../state/prompt_set.js").PromptRequest} set.request
     * @param {boolean} set.predicts  whether the model predicts a next token
     * @param {number} set.count  prompts
     */
    draw(scene, { request, predicts, count }) {
      const { value, analysis, part } = scene;
      const effects = effectsOf(analysis, part);
      const effect = effectIn(value, effects);
      const found = questions.take(
        request,
        (prompts) => ({ ...askedOf(scene, prompts), effect }),
        (measures) => headIn(value, measures),
      );
      const isFailed = problem.show()?.kind === "failed";
      const { prompts, measures } = found;
      const isStopped = questions.isStopped();
      const isWaiting = !measures && !isFailed;
      views.waiting(isWaiting ? waitingWords(prompts && questions.progress(), { count, isStopped }) : null);
      boxes.results.setAttribute("aria-busy", String(isWaiting && !isStopped));
      boxes.averages.hidden = !measures;
      boxes.results.hidden = !prompts;
      if (!measures || !prompts) {
        views.list(prompts && { prompts, title: "", values: null, head: "", answers: null });
        say(boxes.rated, "");
        return;
      }
      drawAverages(scene, {
        prompts,
        measures: mergedOnce(measures, found.effects),
        found,
        effects,
        isFailed,
        isComing: effect !== undefined && !found.effects && !isFailed,
        output: outputWords(request.answers !== undefined, predicts),
      });
    },
    /** There is nothing to average. */
    clear() {
      boxes.results.hidden = true;
      questions.clear();
      views.waiting(null);
      problem.show();
    },
  };
}
