/** The page of sinusoidal and learned positions, in the frame of a concept. */

import { startConcept } from "../frame/concept.js";
import { need } from "../../base/dom.js";
import { bindModelChoice, linkToExplorer } from "../../page/model_choice.js";
import { calculation } from "./steps.js";
import { exercises } from "./exercises.js";
import { fields, pairOf, presets, read, request, write } from "./state.js";
import { mount } from "../../base/mount.js";
import { sinusoidalCurveView, sinusoidalView } from "./view.js";

/** @typedef {import("./state.js").SinusoidalState} SinusoidalState */

startConcept(document, () => ({
  stem: "sinusoidal",
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
 * @param {import("../frame/concept.js").Desk<SinusoidalState>} desk
 * @returns {import("../frame/concept.js").Instrument<SinusoidalState>}
 */
function build({ root, state, schedule }) {
  const select = /** @type {HTMLSelectElement} */ (need(root, "#model"));
  bindModelChoice(select, state, schedule);
  select.addEventListener("change", () => state.set({ model: select.value }, "pick"));
  const place = need(root, "#picture");
  const picture = mount(place, sinusoidalView, {
    onDimension: ({ row, column }, pairs) =>
      state.set({ position: row, pair: pairOf(state.get(), column, pairs) }, "move"),
    onPositions: ({ row, column }) => state.set({ position: row, other: column }, "move"),
  });
  const curve = mount(need(root, "#curve"), sinusoidalCurveView, {});
  return {
    show(value, answer) {
      const data = { state: value, answer };
      select.value = value.model;
      picture(data);
      curve(data);
      linkToExplorer(root, { model: value.model });
      return calculation(data);
    },
    pictures: () => [
      .../** @type {NodeListOf<SVGSVGElement>} */ (root.querySelectorAll("#picture svg, #curve svg.lines-mark")),
    ],
  };
}
