/** Views that several concepts build theirs from. */

import { el, fill } from "../../base/dom.js";
import { matrixInput } from "../../charts/matrix_input.js";
import { mount } from "../../base/mount.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("./concept.js").ConceptView<any>} ConceptView */
/** @typedef {import("./concept.js").Tools<any>} Tools */
/** @typedef {(data: any) => void} Draw */

/**
 * One chart.
 * @template {object} D
 * @param {(element: HTMLElement, data: D, options: any) => import("../../api/types.js").View<D>} mark
 * @param {(data: any) => D | null} of  what it draws; null: nothing
 * @param {(at: any, data: any) => Record<string, any>} [pick]  what pointing at it sets
 * @param {"pick" | "switch"} [origin]
 * @returns {ConceptView}
 */
export function chartView(mark, of, pick, origin = "pick") {
  return (element, data, { set }) => {
    let shown = data;
    const show = mount(element, mark, pick ? { onPick: (/** @type {any} */ at) => set(pick(at, shown), origin) } : {});
    /** @param {any} next */
    function update(next) {
      shown = next;
      show(of(next));
    }
    update(data);
    return { update, destroy: () => show(null) };
  };
}

/**
 * One of several pictures, built anew where another is asked for.
 * @param {Record<string, (element: HTMLElement, tools: Tools, data: any) => Draw>} builders  by kind
 * @param {(data: any) => string} [kindOf]  words apart; the first is that of the builder, the others build it anew
 * @returns {ConceptView}
 */
export function switchedView(builders, kindOf = ({ state }) => state.view) {
  return (element, data, tools) => {
    let built = "";
    /** @type {Draw} */
    let draw = () => undefined;
    /** @param {any} next */
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
 * A picture that is drawn whole each time.
 * @param {(element: HTMLElement, tools: Tools) => Draw} build
 * @returns {ConceptView}
 */
export function drawnView(build) {
  return (element, data, tools) => {
    const update = build(element, tools);
    update(data);
    return { update, destroy: () => element.replaceChildren() };
  };
}

/**
 * Fills an element with places for charts, each under its title.
 * @param {HTMLElement} element
 * @param {string[]} titles
 * @param {string} [kind]  class of a place
 */
export function titledPlaces(element, titles, kind = "") {
  const places = titles.map((title) => {
    const place = el("div", kind ? { class: kind } : {});
    return { place, whole: el("div", {}, el("h3", {}, title), place) };
  });
  fill(element, ...places.map(({ whole }) => whole));
  return places.map(({ place }) => place);
}

/**
 * A matrix of the state, to be edited.
 * @template {import("./concept.js").CommonState} S
 * @param {object} given
 * @param {(state: Readonly<S>) => import("../../charts/matrix_input.js").MatrixInput | null} given.shown  null: nothing
 * @param {(state: Readonly<S>, values: number[][]) => Partial<S>} given.change
 * @param {Omit<import("../../charts/matrix_input.js").MatrixInputOptions, "onChange">} options
 * @returns {import("./concept.js").ConceptView<S>}
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
 * Names and values as a list of facts.
 * @param {(data: any) => [string, string][]} of
 * @returns {ConceptView}
 */
export function factsView(of) {
  return drawnView((element) => (data) => {
    fill(element, ...of(data).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
  });
}

/**
 * Options of a matrix of queries by keys: a cell that is pointed at becomes the query and key looked at.
 * @param {Tools} tools
 * @param {"pick" | "switch"} [origin]
 */
export function pickCell({ set }, origin = "switch") {
  return {
    onPick: (/** @type {{row: number, column: number}} */ { row, column }) => set({ query: row, key: column }, origin),
  };
}

/** What a matrix of queries by keys has beside its numbers. */
export function queriesByKeys() {
  return {
    axes: t("query ↓ attends to key →"),
    rowRole: /** @type {const} */ ("query"),
    columnRole: /** @type {const} */ ("key"),
  };
}
