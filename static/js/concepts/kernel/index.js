/** The page of kernels: similarity fixed beforehand beside similarity that is learned, on the same points. */

import { startConcept } from "../frame/concept.js";
import { need } from "../../base/dom.js";
import { formulas, stepsOf, tableOf } from "./steps.js";
import { exercises } from "./exercises.js";
import { MOST_POINTS, kernelCodec, presets, queryWeight, requestOf } from "./state.js";
import { fixed } from "../../base/numbers.js";
import { kernelView } from "./view.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("./state.js").KernelState} KernelState */

startConcept(document, () => ({
  stem: "kernel",
  ...kernelCodec,
  served: true,
  request: requestOf,
  presets,
  build,
  exercises,
}));

/**
 * @param {import("../frame/concept.js").Desk<KernelState>} desk
 * @returns {import("../frame/concept.js").Instrument<KernelState>}
 */
function build({ root, state }) {
  const view = mount(need(root, "#plane"), kernelView, {
    latest: () => state.get().points,
    onMove: (/** @type {number} */ index, /** @type {[number, number]} */ point, /** @type {string} */ origin) => {
      const points = state.get().points.map((old, at) => (at === index ? point : old));
      state.set({ points }, origin);
    },
    onPick: (/** @type {{query?: number, key?: number}} */ at) => state.set(at, "switch"),
  });
  bindPoints(root, state);

  return {
    show(value, answer) {
      const last = answer.points.length - 1;
      const at = { query: Math.min(value.query, last), key: Math.min(value.key, last) };
      const readings = { rbf: answer.rbf, polynomial: answer.polynomial, attention: answer.attention };
      view({ points: answer.points, readings, reading: value.reading, ...at });
      const [[a, b], [c, d]] = queryWeight(value).map((row) => row.map((one) => fixed(one, 2)));
      need(root, "#weight").textContent = `W_q = [${a} ${b}; ${c} ${d}], W_k = I`;
      return { formulas: formulas(), steps: stepsOf(value, answer, at), table: tableOf(answer, at) };
    },
    pictures: () => [
      .../** @type {NodeListOf<SVGSVGElement>} */ (root.querySelectorAll(".kernel-plane, #plane .mark")),
    ],
  };
}

/**
 * More points and fewer.
 * @param {Document} root
 * @param {import("../../base/store.js").Store<KernelState>} state
 */
function bindPoints(root, state) {
  const more = /** @type {HTMLButtonElement} */ (need(root, "#more"));
  const fewer = /** @type {HTMLButtonElement} */ (need(root, "#fewer"));
  const update = () => {
    const count = state.get().points.length;
    more.disabled = count >= MOST_POINTS;
    fewer.disabled = count <= 1;
  };
  more.addEventListener("click", () => {
    const { points } = state.get();
    // Along a spiral, so that new points do not hide old ones.
    const angle = points.length * 2.4;
    const point = [1.8 * Math.cos(angle), 1.8 * Math.sin(angle)].map((one) => Number(one.toFixed(2)));
    state.set({ points: [...points, point] }, "pick");
  });
  fewer.addEventListener("click", () => state.set({ points: state.get().points.slice(0, -1) }, "pick"));
  state.subscribe(update);
  update();
}
