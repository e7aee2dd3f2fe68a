/** The page of softmax: from scores to weights, why the maximum is subtracted first, what a temperature does. */

import { startConcept } from "../frame/concept.js";
import { el, fill, need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { exact } from "../../base/numbers.js";
import { currentFormula, generalFormula, numbersOf, stepsOf, verdict } from "./steps.js";
import { exercises } from "./exercises.js";
import { presets, requestOf, softmaxCodec } from "./state.js";
import { mount } from "../../base/mount.js";
import { softmaxView } from "./view.js";

/** @typedef {import("./state.js").SoftmaxState} SoftmaxState */

startConcept(document, () => ({
  stem: "softmax",
  ...softmaxCodec,
  served: true,
  request: requestOf,
  presets,
  build,
  exercises,
}));

/**
 * @param {import("../frame/concept.js").Desk<SoftmaxState>} desk
 * @returns {import("../frame/concept.js").Instrument<SoftmaxState>}
 */
function build({ root, state }) {
  const view = mount(need(root, "#marks"), softmaxView, {
    onPick: (/** @type {number} */ chosen) => state.set({ chosen }, "switch"),
  });
  return {
    show(value, answer) {
      const numbers = numbersOf(answer);
      const at = Math.min(value.chosen, numbers.scores.length - 1);
      view({ numbers, scores: value.scores, temperature: value.temperature, chosen: at });
      fill(need(root, "#facts"), ...factsOf(numbers));
      need(root, "#verdict").textContent = verdict(numbers);
      return {
        formulas: [generalFormula(value), currentFormula(numbers, at)],
        steps: stepsOf(value, numbers, at),
        table: null,
      };
    },
    pictures: () => [.../** @type {NodeListOf<SVGSVGElement>} */ (root.querySelectorAll("#marks .mark"))],
  };
}

/** @param {import("./steps.js").SoftmaxNumbers} numbers */
function factsOf({ scores, entropy, largest_exponent, largest_shift_difference }) {
  const facts = [
    [t("Entropy"), t("{entropy} of at most {most}", { entropy: exact(entropy), most: exact(Math.log(scores.length)) })],
    [t("Largest x whose e^x still fits"), exact(largest_exponent)],
    [t("Largest change of a weight when c is added"), exact(largest_shift_difference)],
  ];
  return facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)));
}
