/** The page of many heads. */

import { startConcept } from "./concept.js";
import { need } from "./dom.js";
import { calculation } from "./multi_head_calculation.js";
import { exercises } from "./multi_head_exercises.js";
import { also, fields, presets, read, request, write } from "./multi_head_state.js";
import { mount } from "./views/mount.js";
import { multiHeadView } from "./views/multi_head.js";

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
 * @param {import("./concept.js").Desk<import("./multi_head_state.js").MultiHeadState>} desk
 * @returns {import("./concept.js").Instrument<import("./multi_head_state.js").MultiHeadState>}
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
