/** Request an output of the model and its studies. */

import { getAttribution, getDirectEffect, getLogitLens, getOutput } from "../../api/output.js";
import { choose, furtherTokens, learn, outputAt, questionOf, withChosen } from "../state/chosen_output.js";
import { remembering } from "../../base/memoise.js";
import { answersOf } from "../widgets/panel.js";

/** @typedef {import("../../api/output.js").Look} Look */
/** @typedef {import("../widgets/panel.js").Scene} Scene */

/**
 * @typedef {object} Asked  the chosen output
 * @property {import("../../api/output.js").Output} output
 * @property {{id: number, text: string}[]} further  choices besides the candidates
 * @property {import("../state/chosen_output.js").Chosen} chosen
 * @property {Look | null} look
 */

/**
 * @typedef {object} Found  of one look
 * @property {import("../../api/output.js").LogitLens} [lens]
 * @property {import("../../api/output.js").DirectEffect} [effect]
 * @property {import("../../api/output.js").Attribution} [attribution]
 */

export const LOOKS = /** @type {const} */ (["logit_lens", "direct_effect", "attribution"]);
/** It may take minutes. */
const LONG = { limit: null };

/** @param {import("../widgets/panel.js").Bench} bench */
export function createOutputQuestions(bench) {
  const outputs = answersOf(bench, "output", getOutput);
  const looks = createLookQuestions(bench);
  const resources = [outputs, ...looks.resources];
  const furtherOf = remembering(furtherTokens);
  /** Texts of tokens, by id. @type {Map<number, string>} */
  const seen = new Map();
  /** The analysis whose output has no position and is the same everywhere. */
  let everywhere = "";

  return {
    /**
     * The chosen output and candidates; null while they are fetched.
     * @param {Scene} scene
     * @returns {Asked | null}
     */
    output({ value, analysis, part }) {
      const position = everywhere === analysis.id ? 0 : outputAt(value, analysis, part);
      const [output] = outputs.take(analysis.id, [{ position }]);
      if (!output) return null;
      if (output.position === null) everywhere = analysis.id;
      const further = withChosen(furtherOf(analysis, output), output, value, seen);
      const look = output.looks.find((look) => look === value.look) ?? output.looks[0] ?? null;
      return { output, further, chosen: choose(output, value, further), look };
    },
    /**
     * The results of the chosen study: empty if nothing can be requested, null while they are fetched.
     * @param {Scene} scene
     * @param {Asked} asked
     * @returns {Found | null}
     */
    look(scene, asked) {
      looks.leave(asked.look);
      if (asked.look === null) return {};
      const answers = looks.take(scene, asked, asked.look);
      const learned = [answers?.lens, answers?.effect, answers?.attribution].map((output) =>
        learn(seen, output ?? null),
      );
      if (learned.includes(true)) bench.schedule();
      return answers;
    },
    failure: () => resources.map((resource) => resource.failure()).find((failure) => failure !== null) ?? null,
    clear() {
      for (const resource of resources) resource.clear();
      seen.clear();
    },
  };
}

/** One study at a time. @param {import("../widgets/panel.js").Bench} bench */
function createLookQuestions(bench) {
  const looks = {
    logit_lens: answersOf(bench, "logit_lens", getLogitLens, LONG),
    direct_effect: answersOf(bench, "direct_effect", getDirectEffect, LONG),
    attribution: answersOf(bench, "attribution", getAttribution, LONG),
  };
  return {
    resources: Object.values(looks),
    /** Gives up all others. @param {Look | null} chosen */
    leave(chosen) {
      for (const look of LOOKS) if (look !== chosen) looks[look].clear();
    },
    /**
     * @param {Scene} scene
     * @param {Pick<Asked, "output" | "chosen">} asked
     * @param {Look} look
     * @returns {Found | null}
     */
    take({ value, analysis, part }, { output, chosen }, look) {
      const { layer, head } = value;
      const { followed, against } = chosen;
      if (look === "attribution") {
        const question = questionOf(output, chosen, { part: part.name, layer, head });
        const [attribution] = looks.attribution.take(analysis.id, [question]);
        return attribution && { attribution };
      }
      if (output.position === null || followed === null) return {};
      const asked = { position: output.position, token: followed };
      if (look === "logit_lens") {
        const [lens] = looks.logit_lens.take(analysis.id, [asked]);
        return lens && { lens };
      }
      const [effect] = looks.direct_effect.take(analysis.id, [{ ...asked, against }]);
      return effect && { effect };
    },
  };
}
