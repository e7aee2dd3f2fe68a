/** The page of RoPE: its state, its pictures and its calculation, in the frame of a concept. */

import { startConcept } from "../frame/concept.js";
import { need } from "../../base/dom.js";
import { calculation } from "./steps.js";
import { exercises } from "./exercises.js";
import { FIELDS, also, presets, read, request, write } from "./state.js";
import { mount } from "../../base/mount.js";
import { ropeView } from "./view.js";

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
 * @param {import("../frame/concept.js").Desk<import("./state.js").RopeState>} desk
 * @returns {import("../frame/concept.js").Instrument<import("./state.js").RopeState>}
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
