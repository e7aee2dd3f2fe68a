/** The page of ALiBi, in the frame of a concept. */

import { startConcept } from "../frame/concept.js";
import { need } from "../../base/dom.js";
import { calculation } from "./steps.js";
import { exercises } from "./exercises.js";
import { fields, presets, read, request, write } from "./state.js";
import { alibiSlopesView, alibiView } from "./view.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("./state.js").AlibiState} AlibiState */

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
 * @param {import("../frame/concept.js").Desk<AlibiState>} desk
 * @returns {import("../frame/concept.js").Instrument<AlibiState>}
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
