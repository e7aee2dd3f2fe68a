/** The page of the table that a model looks ids up in. */

import { startConcept } from "./concept.js";
import { need } from "./dom.js";
import { calculation, chosenTokens } from "./embedding_calculation.js";
import { exercises } from "./embedding_exercises.js";
import { fields, presets, read, request, write } from "./embedding_state.js";
import { bindModelChoice, linkToExplorer } from "./model_choice.js";
import { embeddingView } from "./views/embedding.js";
import { mount } from "./views/mount.js";

/** @typedef {import("./embedding_state.js").EmbeddingState} EmbeddingState */

startConcept(document, () => ({
  stem: "embedding",
  fields,
  read,
  write,
  served: true,
  request,
  presets,
  exercises,
  build,
}));

/**
 * @param {import("./concept.js").Desk<EmbeddingState>} desk
 * @returns {import("./concept.js").Instrument<EmbeddingState>}
 */
function build({ root, state, schedule }) {
  bindModelChoice(/** @type {HTMLSelectElement} */ (need(root, "#model")), state, schedule);
  const place = need(root, "#picture");
  const picture = mount(place, embeddingView, { onPick: (at) => state.set(at, "switch") });
  return {
    show(value, answer) {
      const data = { state: value, answer };
      picture(data);
      linkToExplorer(root, { model: value.model, text: value.text, query: chosenTokens(data).token });
      return calculation(data);
    },
    pictures: () => [.../** @type {NodeListOf<SVGSVGElement>} */ (place.querySelectorAll("svg.mark"))],
  };
}
