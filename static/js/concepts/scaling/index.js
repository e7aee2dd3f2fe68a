/** The page of ÷√d_k: how large scores become, and what that does to softmax. */

import { startConcept } from "./concept.js";
import { need } from "./dom.js";
import { calculation } from "./scaling_calculation.js";
import { exercises } from "./scaling_exercises.js";
import { also, fields, presets, read, request, write } from "./scaling_state.js";
import { mount } from "./views/mount.js";
import { scalingView } from "./views/scaling.js";

startConcept(document, () => ({
  stem: "scaling",
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
 * @param {import("./concept.js").Desk<import("./scaling_state.js").ScalingState>} desk
 * @returns {import("./concept.js").Instrument<import("./scaling_state.js").ScalingState>}
 */
function build({ root }) {
  const place = need(root, "#picture");
  const picture = mount(place, scalingView, {});
  return {
    show(value, answer, others) {
      const data = { state: value, answer, others };
      picture(data);
      return calculation(data);
    },
    pictures: () => [.../** @type {NodeListOf<SVGSVGElement>} */ (place.querySelectorAll("svg.mark"))],
  };
}
