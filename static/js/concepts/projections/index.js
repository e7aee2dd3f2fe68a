/** The page of queries, keys and values made from one input, and of the roles that operations give. */

import { startConcept } from "../frame/concept.js";
import { need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { matrixInput } from "../../charts/matrix_input.js";
import { calculation } from "./steps.js";
import { exercises } from "./exercises.js";
import { also, BOUNDS, fields, presets, read, request, withMatrix, write } from "./state.js";
import { mount } from "../../base/mount.js";
import { projectionsView } from "./view.js";

/** @typedef {import("./state.js").ProjectionsState} ProjectionsState */

startConcept(document, () => ({
  stem: "projections",
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
 * @param {import("../frame/concept.js").Desk<ProjectionsState>} desk
 * @returns {import("../frame/concept.js").Instrument<ProjectionsState>}
 */
function build({ root, state }) {
  const place = need(root, "#picture");
  const picture = mount(place, projectionsView, { onPick: (query) => state.set({ query }, "switch") });
  const edited = /** @type {const} */ ([
    { name: "inputs", field: "inputs", title: t("Input X"), symbol: "x" },
    { name: "wq", field: "query_weight", title: "W_q", symbol: "", role: "query" },
    { name: "wk", field: "key_weight", title: "W_k", symbol: "", role: "key" },
    { name: "wv", field: "value_weight", title: "W_v", symbol: "", role: "value" },
  ]);
  const inputs = edited.map(({ name, field, ...shown }) => {
    const show = mount(need(root, `#${name}`), matrixInput, {
      ...BOUNDS,
      field,
      onChange: (/** @type {number[][]} */ values, /** @type {string} */ origin) =>
        state.set(withMatrix(state.get(), name, values), origin),
    });
    return () => show({ ...shown, values: state.get()[name] });
  });
  const drawInputs = () => inputs.forEach((draw) => draw());
  state.subscribe(drawInputs);
  drawInputs();
  return {
    show(value, answer, others) {
      const data = { state: value, answer, others };
      picture(data);
      return calculation(data);
    },
    pictures: () => [.../** @type {NodeListOf<SVGSVGElement>} */ (place.querySelectorAll("svg.mark"))],
  };
}
