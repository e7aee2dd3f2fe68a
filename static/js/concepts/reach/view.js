/** Reach: a mask to draw in, what its power allows, what is measured, and the way through the layers. */

import { el, fill } from "../../base/dom.js";
import { mount } from "../../base/mount.js";
import { t } from "../../base/i18n.js";
import { drawnView } from "../frame/views.js";
import { latticeMark } from "./lattice.js";
import { coneOf, routeOf, stepsOf } from "./routes.js";
import { squaresMark } from "./squares.js";
import { intendedOf, masksOf, withCell } from "./state.js";
import { kindName, kindOf, pairSentence } from "./words.js";

/** @typedef {import("./state.js").ReachData} ReachData */
/** @typedef {import("./state.js").ReachState} ReachState */
/** @typedef {import("../../charts/cell_choice.js").At} At */

/** @type {import("../frame/concept.js").ConceptView<ReachData>} */
export const reachView = drawnView((element, tools) => {
  const heads = Array.from({ length: 3 }, () => el("h3", {}));
  const places = heads.map(() => el("div", {}));
  const pair = el("p", { class: "reach-pair", "aria-live": "polite" });
  const way = el("div", { class: "reach-way-place", "data-step": 3 });
  const boxes = heads.map((head, index) => el("div", { "data-step": [1, 3, 4][index] }, head, places[index]));
  fill(element, el("div", { class: "reach-maps" }, ...boxes), legend(), pair, way);
  const { set, latest } = tools;
  const onPick = (/** @type {At} */ { row, column }) => set({ query: row, key: column }, "switch");
  const onDraw = (/** @type {At} */ cell, /** @type {boolean} */ isOpen) =>
    set({ drawn: withCell(latest(), cell, isOpen), query: cell.row, key: cell.column }, "pick");
  const maps = places.map((place, index) => mount(place, squaresMark, index === 0 ? { onPick, onDraw } : { onPick }));
  const lattice = mount(way, latticeMark, {
    onQuery: (query, layer) => set({ query, layer }, "switch"),
    onKey: (key) => set({ key }, "switch"),
  });

  return (data) => {
    const { state } = data;
    const { query, key, layer } = state;
    const titles = titlesOf(layer);
    heads.forEach((head, index) => (head.textContent = titles[index]));
    const chosen = { row: query, column: key };
    const kinds = kindsOf(data);
    maps.forEach((show, index) =>
      show({ title: titles[index], kinds: kinds[index], chosen, says: (cell) => saysOf(data, index, cell) }),
    );
    pair.textContent = pairSentence(data, { query, key, layer });
    lattice(latticeOf(data, pair.textContent));
  };
});

/** @param {number} layer */
function titlesOf(layer) {
  return [
    t("Mask of layer {layer}: draw in it", { layer }),
    t("Allowed after layer {layer}", { layer }),
    t("Measured after layer {layer}", { layer }),
  ];
}

/** Classes of the cells of each matrix. @param {ReachData} data */
function kindsOf({ state, answer }) {
  const { layer } = state;
  const [mask, intended] = [masksOf(state)[layer], intendedOf(state)];
  return [
    mask.map((row, query) =>
      row.map((may, key) => `${may ? "open" : "closed"}${may !== intended[query][key] ? " is-changed" : ""}`),
    ),
    answer.allowed[layer].map((row) => row.map((may) => (may ? "open" : "closed"))),
    answer.reached[layer].map((row, query) => row.map((_, key) => kindOf(answer, layer, query, key))),
  ];
}

/**
 * @param {ReachData} data
 * @param {number} map
 * @param {At} at
 */
function saysOf({ state, answer }, map, { row, column }) {
  const { layer } = state;
  const said = { query: row, key: column };
  if (map === 2)
    return t("query {query}, key {key}: {what}", { ...said, what: kindName(kindOf(answer, layer, row, column)) });
  const is = (map === 0 ? masksOf(state) : answer.allowed)[layer][row][column];
  return t("query {query}, key {key}: {what}", { ...said, what: is ? t("open") : t("shut") });
}

/** @param {ReachData} data @param {string} title @returns {import("./lattice.js").Lattice} */
function latticeOf({ state, answer }, title) {
  const { query, key, layer } = state;
  const masks = masksOf(state);
  const cone = coneOf(masks, answer.mixed, { query, layer });
  const edges = masks
    .slice(0, layer + 1)
    .flatMap((mask, step) =>
      stepsOf(mask, answer.mixed).flatMap((row, to) =>
        row.flatMap((is, from) =>
          is && cone[step + 1][to] ? [{ layer: step, from, to, weight: answer.weights[step][to][from] }] : [],
        ),
      ),
    );
  return {
    title,
    cone,
    edges,
    query,
    key,
    names: [t("tokens"), ...masks.map((_, layer) => t("after layer {layer}", { layer: layer }))],
    kinds: answer.reached[layer][query].map((_, key) => kindOf(answer, layer, query, key)),
    route: routeOf(masks, answer.mixed, { query, key, layer }) ?? [],
  };
}

function legend() {
  const kinds = /** @type {const} */ (["reached", "leak", "beside"]);
  const signs = { reached: "", leak: "!", beside: "!!" };
  return el(
    "ul",
    { class: "reach-legend" },
    ...kinds.map((kind) =>
      el(
        "li",
        {},
        el("span", { class: `reach-swatch is-${kind}`, "aria-hidden": "true" }, signs[kind]),
        kindName(kind),
      ),
    ),
  );
}
