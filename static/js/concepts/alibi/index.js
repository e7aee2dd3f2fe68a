/** The page of ALiBi, in the frame of a concept. */

import { startConcept } from "./concept.js";
import { need } from "./dom.js";
import { calculation } from "./alibi_calculation.js";
import { exercises } from "./alibi_exercises.js";
import { fields, presets, read, request, write } from "./alibi_state.js";
import { alibiSlopesView, alibiView } from "./views/alibi.js";
import { mount } from "./views/mount.js";

/** @typedef {import("./alibi_state.js").AlibiState} AlibiState */

startConcept(document, () => ({
  stem: "alibi",
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
 * @param {import("./concept.js").Desk<AlibiState>} desk
 * @returns {import("./concept.js").Instrument<AlibiState>}
 */
function build({ root, state }) {
  const place = need(root, "#picture");
  const picture = mount(place, alibiView, {
    onCell: ({ row, column }) => state.set({ query: row, key: column }, "pick"),
  });
  const slopes = mount(need(root, "#slopes"), alibiSlopesView, { onHead: (head) => state.set({ head }, "pick") });
  return {
    show(value, answer) {
      const data = { state: value, answer };
      picture(data);
      slopes(data);
      return calculation(data);
    },
    pictures: () => [
      .../** @type {NodeListOf<SVGSVGElement>} */ (root.querySelectorAll("#picture svg:not(.mark-key)")),
    ],
  };
}
