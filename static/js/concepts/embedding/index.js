/** The page of the table that a model looks ids up in. */

import { startConcept } from "../frame/concept.js";
import { need } from "../../base/dom.js";
import { calculation, chosenTokens } from "./steps.js";
import { exercises } from "./exercises.js";
import { fields, presets, read, request, write } from "./state.js";
import { bindModelChoice, linkToExplorer } from "../../page/model_choice.js";
import { embeddingView } from "./view.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("./state.js").EmbeddingState} EmbeddingState */

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
 * @param {import("../frame/concept.js").Desk<EmbeddingState>} desk
 * @returns {import("../frame/concept.js").Instrument<EmbeddingState>}
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
