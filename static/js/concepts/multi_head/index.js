/** The page of many heads. */

import { startConcept } from "../frame/concept.js";
import { need } from "../../base/dom.js";
import { calculation } from "./steps.js";
import { exercises } from "./exercises.js";
import { also, fields, presets, read, request, write } from "./state.js";
import { mount } from "../../base/mount.js";
import { multiHeadView } from "./view.js";

startConcept(document, () => ({
  stem: "multi_head",
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
 * @param {import("../frame/concept.js").Desk<import("./state.js").MultiHeadState>} desk
 * @returns {import("../frame/concept.js").Instrument<import("./state.js").MultiHeadState>}
 */
function build({ root, state }) {
  const place = need(root, "#picture");
  const picture = mount(place, multiHeadView, { onPick: (head, query) => state.set({ head, query }, "switch") });
  return {
    show(value, answer, others) {
      const data = { state: value, answer, others };
      picture(data);
      return calculation(data);
    },
    pictures: () => [.../** @type {NodeListOf<SVGSVGElement>} */ (place.querySelectorAll("svg.mark"))],
  };
}
