/** Panel of attention chained over layers: rollout and flow of the chosen query, and the rollout of all queries. */

import { shownPlace, shownPlaces, tokenAt, tokenRange } from "../state/arrangement.js";
import { el } from "../../base/dom.js";
import { createArrangedRollout } from "./arranged.js";
import { betweenTexts, rolloutNotes } from "./notes.js";
import { createRolloutQuestions } from "./questions.js";
import { formatRange } from "../state/selection.js";
import { mount } from "../../base/mount.js";
import { createOptions, sumsNote } from "../widgets/options.js";
import { createPanel } from "../widgets/panel.js";
import { rolloutView } from "./rollout.js";
import { wholeRolloutView } from "./all_queries.js";

/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../widgets/panel.js").Scene} Scene */

/**
 * @param {HTMLElement} element
 * @param {import("../widgets/panel.js").Bench} bench
 * @returns {import("../widgets/panel.js").Panel}
 */
export function rolloutPanel(element, bench) {
  const { state } = bench;
  const obstacle = el("p", { class: "note" });
  const boxes = { chosen: el("div", { class: "rollout" }), whole: el("div", { class: "rollout-whole" }) };
  const questions = createRolloutQuestions(bench);
  const { problems } = questions;
  const options = createOptions(state, { offered: ["hide"] });
  const arranged = createArrangedRollout();
  /** @type {{keys: import("../state/arrangement.js").Arrangement, count: number} | null} */
  let shown = null;
  const tokenOf = (/** @type {number | null} */ place) => tokenAt(shown?.keys, place);
  const views = mountViews(boxes, bench, tokenOf, zoom);

  /**
   * @param {Range | null} rows  places; null for those in view
   * @param {Range} cols
   */
  function zoom(rows, cols) {
    if (!shown) return;
    const { keys, count } = shown;
    const written = (/** @type {Range} */ range) => formatRange(tokenRange(keys, range, count), count);
    state.set({ ...(rows && { rows: written(rows) }), cols: written(cols) }, "move");
  }

  /** @param {Scene} scene */
  function draw(scene) {
    const { keys, chosen, whole } = arranged(scene, questions.take(scene));
    shown = { keys, count: scene.keys.length };
    views.chosen(chosen);
    views.whole(whole);
  }

  const panel = createPanel(element, {
    stands: [options.box, obstacle, problems.chosen.box, boxes.chosen, problems.whole.box, boxes.whole, rolloutNotes()],
    views,
    asks: [...questions.asks, options],
    draw(scene) {
      const { part, value } = scene;
      const isOneText = part.query_side === part.key_side;
      obstacle.hidden = isOneText;
      obstacle.textContent = isOneText ? "" : betweenTexts();
      if (isOneText) {
        options.show(value, { sums: sumsNote({ ...value, renormalise: false }) });
        draw(scene);
      } else panel.clear();
      for (const problem of Object.values(problems)) problem.show();
      boxes.chosen.hidden = boxes.whole.hidden = !isOneText || questions.isFailed();
    },
    point(place) {
      const keys = shown?.keys;
      if (!keys) return;
      views.chosen.patch(() => ({ pointed: shownPlace(keys, place.key) }));
      views.whole.patch(() => ({ pointed: shownPlaces({ queries: keys, keys }, place) }));
    },
    forget: () => (shown = null),
  });
  return panel;
}

/**
 * @param {Record<"chosen" | "whole", HTMLElement>} boxes
 * @param {import("../widgets/panel.js").Bench} bench
 * @param {(place: number | null) => number | null} tokenOf
 * @param {(rows: Range | null, cols: Range) => void} zoom
 */
function mountViews(boxes, { state, pointed }, tokenOf, zoom) {
  return {
    chosen: mount(boxes.chosen, rolloutView, {
      onPick: ({ layer, key }, origin) =>
        state.set({ ...(layer !== undefined && { layer }), ...(key !== undefined && { key: tokenOf(key) }) }, origin),
      onPoint: (key) => pointed.set({ query: null, key: tokenOf(key) }),
      onZoom: (cols) => zoom(null, cols),
    }),
    whole: mount(boxes.whole, wholeRolloutView, {
      onPick: ({ query, key }, origin) => state.set({ query: tokenOf(query), key: tokenOf(key) }, origin),
      onPoint: ({ query, key }) => pointed.set({ query: tokenOf(query), key: tokenOf(key) }),
      onZoom: zoom,
    }),
  };
}
