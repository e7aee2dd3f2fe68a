/** The page of ÷√d_k: how large scores become, and what that does to softmax. */

import { startConcept } from "../frame/concept.js";
import { need } from "../../base/dom.js";
import { calculation } from "./steps.js";
import { exercises } from "./exercises.js";
import { also, fields, presets, read, request, write } from "./state.js";
import { mount } from "../../base/mount.js";
import { scalingView } from "./view.js";

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
 * @param {import("../frame/concept.js").Desk<import("./state.js").ScalingState>} desk
 * @returns {import("../frame/concept.js").Instrument<import("./state.js").ScalingState>}
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
