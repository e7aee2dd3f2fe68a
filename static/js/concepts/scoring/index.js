/** The page of the scoring lab: any queries, keys and values through every stage, twice if wished. */

import { startConcept } from "../frame/concept.js";
import { need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { currentFormula, generalFormula, stepsOf, tableOf } from "./steps.js";
import { exercises } from "./exercises.js";
import { bindTensors } from "./inputs.js";
import { alongTheWrongAxis, difference, largest, traced } from "./numbers.js";
import { presets } from "./presets.js";
import { besideRequest, requestOf, scoringCodec, withTensor } from "./state.js";
import { captions } from "../../wording/stories.js";
import { exact } from "../../base/numbers.js";
import { mount } from "../../base/mount.js";
import { scoringView } from "./view.js";

/** @typedef {import("./state.js").ScoringState} ScoringState */

startConcept(document, () => ({
  stem: "scoring",
  ...scoringCodec,
  served: true,
  request: requestOf,
  also,
  presets,
  build,
  exercises,
}));

/** @param {Readonly<ScoringState>} state */
function also(state) {
  const body = besideRequest(state);
  return body ? [{ stem: "scoring", body }] : [];
}

/**
 * @param {import("../frame/concept.js").Desk<ScoringState>} desk
 * @returns {import("../frame/concept.js").Instrument<ScoringState>}
 */
function build({ root, state }) {
  const tensors = bindTensors(root, state);
  const stages = mount(need(root, "#stages"), scoringView, {
    onPick: (/** @type {{query?: number, key?: number}} */ at) => state.set(at, "switch"),
  });
  const beside = need(root, "#beside-says");
  const select = /** @type {HTMLSelectElement} */ (need(root, "#beside"));
  need(root, "#swap").addEventListener("click", () => {
    const { keys, values } = state.get();
    state.set({ ...withTensor(state.get(), "keys", values), values: keys }, "pick");
  });
  const draw = () => tensors(state.get(), captions(state.get().story));
  // What is typed stands there at once, whatever the server says of it.
  state.subscribe(draw);
  draw();

  return {
    show(value, answer, [other]) {
      const first = traced(answer);
      const second = other ? (value.beside === "wrong_axis" ? alongTheWrongAxis(first) : traced(other)) : null;
      const query = Math.min(value.query, first.weights.length - 1);
      const key = Math.min(value.key, first.weights[0].length - 1);
      const name = select.selectedOptions[0]?.textContent ?? "";
      const told = captions(value.story);
      const isTurned = value.position === "rope";
      stages({ first, second, secondName: name, captions: told, query, key, step: value.step, isTurned });
      beside.textContent = besideSays(value, first, second);
      const at = { query, key };
      return {
        formulas: [generalFormula(value, first), currentFormula(first, at)],
        steps: stepsOf(value, first, at),
        table: tableOf(first, at),
      };
    },
    pictures: () => [.../** @type {NodeListOf<SVGSVGElement>} */ (root.querySelectorAll("#stages .is-picture svg"))],
  };
}

/**
 * How far the second is from the first, or why there is none.
 * @param {Readonly<ScoringState>} value
 * @param {import("./numbers.js").Traced} first
 * @param {import("./numbers.js").Traced | null} second
 */
function besideSays({ beside }, first, second) {
  if (second) {
    const differences = {
      weights: difference(first.weights, second.weights),
      output: difference(first.output, second.output),
    };
    return t("Largest difference: weights {weights}, output {output}.", {
      weights: exact(largest(differences.weights)),
      output: exact(largest(differences.output)),
    });
  }
  if (beside === "swapped") return t("Keys and values can change places only when values are as long as queries.");
  if (beside === "soft_mask") return t("Choose a mask first: without one there is no −∞ to replace.");
  if (beside === "no_position") return t("Choose positions first: without them there is nothing to leave out.");
  return "";
}
