/** The page of the linear layer. */

import { getKnownBiases, KNOWN_BIASES } from "./api.js";
import { noteAsked } from "./carried.js";
import { startConcept } from "./concept.js";
import { need } from "./dom.js";
import { calculation } from "./linear_calculation.js";
import { exercises } from "./linear_exercises.js";
import { also, fields, presets, read, request, write } from "./linear_state.js";
import { linearView } from "./views/linear.js";
import { mount } from "./views/mount.js";

startConcept(document, () => ({
  stem: "linear",
  fields,
  read,
  write,
  served: true,
  request,
  also,
  presets,
  exercises,
  build,
}));

/**
 * @param {import("./concept.js").Desk<import("./linear_state.js").LinearState>} desk
 * @returns {import("./concept.js").Instrument<import("./linear_state.js").LinearState>}
 */
function build({ root, state, schedule }) {
  const place = need(root, "#picture");
  const problem = need(root, "#models-problem");
  const picture = mount(place, linearView, { onPick: (at) => state.set(at, "switch") });
  /** @type {any[] | null} */
  let known = null;
  let isAsked = false;
  noteAsked(KNOWN_BIASES); // a file of this page holds the answer, whatever it was saved on

  /** The library is asked once, and only where its models are looked at. */
  function askForModels() {
    if (isAsked) return;
    isAsked = true;
    getKnownBiases().then(
      ({ models }) => {
        known = models;
        schedule();
      },
      (error) => {
        known = [];
        problem.hidden = false;
        problem.textContent = error instanceof Error ? error.message : String(error);
        schedule();
      },
    );
  }

  return {
    show(value, answer, others) {
      if (value.view === "models") askForModels();
      const data = { state: value, answer, others, known };
      picture(data);
      return value.view === "models" && known === null ? null : calculation(data);
    },
    pictures: () => [.../** @type {NodeListOf<SVGSVGElement>} */ (place.querySelectorAll("svg.mark"))],
  };
}
