/** The page of RoPE: its state, its pictures and its calculation, in the frame of a concept. */

import { startConcept } from "./concept.js";
import { need } from "./dom.js";
import { calculation } from "./rope_calculation.js";
import { exercises } from "./rope_exercises.js";
import { FIELDS, also, presets, read, request, write } from "./rope_state.js";
import { mount } from "./views/mount.js";
import { ropeView } from "./views/rope.js";

startConcept(document, () => ({
  stem: "rope",
  fields: FIELDS,
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
 * @param {import("./concept.js").Desk<import("./rope_state.js").RopeState>} desk
 * @returns {import("./concept.js").Instrument<import("./rope_state.js").RopeState>}
 */
function build({ root, state }) {
  const place = need(root, "#picture");
  const picture = mount(place, ropeView, {
    onPair: (pair) => state.set({ pair }, "pick"),
    onCell: ({ row, column }) => state.set({ query: row, key: column }, "pick"),
  });
  return {
    show(value, answer, others) {
      const data = { state: value, answer, others };
      picture(data);
      return { ...calculation(data), table: null };
    },
    pictures: () => [.../** @type {NodeListOf<SVGSVGElement>} */ (place.querySelectorAll("svg.mark"))],
  };
}
