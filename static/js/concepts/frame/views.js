/** Building blocks for the views of concepts. */

import { maths } from "../../base/maths/maths_text.js";
import { el, fill } from "../../base/dom.js";
import { matrixInput } from "../../charts/matrix_input.js";
import { mount } from "../../base/mount.js";
import { t } from "../../base/i18n.js";

/** @import { CommonState } from "../../base/fields.js" */
/** @import { ConceptView, Tools } from "./concept.js" */
/** @import { MatrixInput, MatrixInputOptions } from "../../charts/matrix_input.js" */
/** @import { View } from "../../base/mount.js" */

/**
 * One chart.
 * @template {{state: object}} D
 * @template {object} M
 * @template [P=never]
 * @param {(element: HTMLElement, data: M, options: {onPick: (at: P) => void, onRead?: undefined}) => View<M>} mark
 * @param {(data: D) => NoInfer<M> | null} of  what it draws; null: nothing
 * @param {(at: P, data: D) => Partial<D["state"]>} [pick]  the change that a click makes
 * @param {"pick" | "switch"} [origin]
 * @returns {ConceptView<D>}
 */
export function chartView(mark, of, pick, origin = "pick") {
  return (element, data, { set }) => {
    let shown = data;
    const options = pick ? { onPick: (/** @type {P} */ point) => set(pick(point, shown), origin) } : {};
    const show = mount(element, mark, /** @type {{onPick: (at: P) => void}} */ (options));
    /** @param {D} next */
    function update(next) {
      shown = next;
      show(of(next));
    }
    update(data);
    return { update, destroy: () => show(null) };
  };
}

/**
 * One of several charts, rebuilt when another kind is shown.
 * @template {{state: object}} D
 * @param {Record<string, (element: HTMLElement, tools: Tools<D["state"]>, data: D) => (data: D) => void>} builders  by kind
 * @param {(data: D) => string} [kindOf]  space-separated words; the first names the builder, a change of any rebuilds
 * @returns {ConceptView<D>}
 */
export function switchedView(builders, kindOf = ({ state }) => /** @type {{view: string}} */ (state).view) {
  return (element, data, tools) => {
    let built = "";
    /** @type {(data: D) => void} */
    let draw = () => undefined;
    /** @param {D} next */
    function update(next) {
      const kind = kindOf(next);
      if (kind !== built) {
        built = kind;
        draw = builders[kind.split(" ")[0]](element, tools, next);
      }
      draw(next);
    }
    update(data);
    return { update, destroy: () => element.replaceChildren() };
  };
}

/**
 * A chart that is redrawn completely each time.
 * @template {{state: object}} D
 * @param {(element: HTMLElement, tools: Tools<D["state"]>) => (data: D) => void} build
 * @returns {ConceptView<D>}
 */
export function drawnView(build) {
  return (element, data, tools) => {
    const update = build(element, tools);
    update(data);
    return { update, destroy: () => element.replaceChildren() };
  };
}

/**
 * Fills an element with boxes for charts, each under its title.
 * @param {HTMLElement} element
 * @param {string[]} titles
 * @param {string} [kind]  class of a box
 * @param {number[]} [steps]  of the calculation, from 1: the step that makes each chart
 */
export function titledPlaces(element, titles, kind = "", steps = []) {
  const places = titles.map((title, index) => {
    const place = el("div", kind ? { class: kind } : {});
    return { place, whole: el("div", { "data-step": steps[index] }, el("h3", {}, ...maths(title)), place) };
  });
  fill(element, ...places.map(({ whole }) => whole));
  return places.map(({ place }) => place);
}

/**
 * An editable matrix of the state.
 * @template {CommonState} S
 * @param {object} given
 * @param {(state: Readonly<S>) => MatrixInput | null} given.shown  null: nothing
 * @param {(state: Readonly<S>, values: number[][]) => Partial<S>} given.change
 * @param {Omit<MatrixInputOptions, "onChange">} options
 * @returns {ConceptView<{state: Readonly<S>}>}
 */
export function matrixControl({ shown, change }, options) {
  return (element, data, { set, latest }) => {
    const onChange = (/** @type {number[][]} */ values, /** @type {string} */ origin) =>
      set(change(latest(), values), origin);
    const show = mount(element, matrixInput, { ...options, onChange });
    /** @param {{state: Readonly<S>}} next */
    const update = ({ state }) => show(shown(state));
    update(data);
    return { update, destroy: () => show(null) };
  };
}

/**
 * Names and values as a description list.
 * @template {{state: object}} D
 * @param {(data: D) => [string, string][]} of
 * @returns {ConceptView<D>}
 */
export function factsView(of) {
  return drawnView((element) => (data) => {
    fill(element, ...of(data).map(([name, value]) => el("div", {}, el("dt", {}, ...maths(name)), el("dd", {}, value))));
  });
}

/**
 * Options of a queries × keys matrix: clicking a cell chooses its query and key.
 * @param {Tools<{query: number, key: number}>} tools
 * @param {"pick" | "switch"} [origin]
 */
export function pickCell({ set }, origin = "switch") {
  return {
    onPick: (/** @type {{row: number, column: number}} */ { row, column }) => set({ query: row, key: column }, origin),
  };
}

/** Axis labels and colours of a queries × keys matrix. */
export function queriesByKeys() {
  return {
    axes: t("query ↓ attends to key →"),
    rowRole: /** @type {const} */ ("query"),
    columnRole: /** @type {const} */ ("key"),
  };
}
