/** The page of QK-norm. */

import { startConcept } from "../frame/concept.js";
import { need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { matrixInput } from "../../charts/matrix_input.js";
import { calculation } from "./steps.js";
import { exercises } from "./exercises.js";
import { also, BOUNDS, fields, presets, read, request, withSide, write } from "./state.js";
import { mount } from "../../base/mount.js";
import { qkNormView } from "./view.js";

/** @typedef {import("./state.js").QKNormState} QKNormState */

startConcept(document, () => ({
  stem: "qk_norm",
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
 * @param {import("../frame/concept.js").Desk<QKNormState>} desk
 * @returns {import("../frame/concept.js").Instrument<QKNormState>}
 */
function build({ root, state }) {
  const place = need(root, "#picture");
  const picture = mount(place, qkNormView, { onPick: (at) => state.set(at, "switch") });
  const side = (/** @type {"queries" | "keys"} */ name) =>
    mount(need(root, `#${name}`), matrixInput, {
      ...BOUNDS,
      field: name,
      onChange: (/** @type {number[][]} */ values, /** @type {string} */ origin) =>
        state.set(withSide(state.get(), name, values), origin),
    });
  const [queries, keys] = [side("queries"), side("keys")];
  const drawInputs = () => {
    const value = state.get();
    queries({ title: t("Queries Q"), values: value.queries, symbol: "q", role: "query" });
    keys({ title: t("Keys K"), values: value.keys, symbol: "k", role: "key" });
  };
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
