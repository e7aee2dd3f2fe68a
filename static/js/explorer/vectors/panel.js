/** The vectors behind one cell of the chosen head. */

import { getVectors, getWindow, isWeightsOnly } from "../../api/analyses.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { mount } from "../../base/mount.js";
import { createOptions } from "../widgets/options.js";
import { answersOf, createPanel, createProblem } from "../widgets/panel.js";
import { rank } from "../widgets/reads.js";
import { vectorsView } from "./vectors.js";
import { queryKeyPlanePanel } from "./plane_panel.js";

/** @typedef {import("../widgets/panel.js").Scene} Scene */

/** @typedef {import("../../api/types.js").Schemas["VectorsAnswer"]} PairVectors  how two tokens' vectors become one weight */

/**
 * @param {HTMLElement} element
 * @param {import("../widgets/panel.js").Bench} bench
 * @returns {import("../widgets/panel.js").Panel}
 */
export function vectorsPanel(element, bench) {
  const { state } = bench;
  const boxes = { vectors: el("div"), plane: el("div") };
  const note = el("p", { class: "note" });
  const pairs = answersOf(bench, "vectors", getVectors);
  const rows = answersOf(bench, "weights", getWindow);
  const problem = createProblem(rows, pairs);
  const options = createOptions(state, { offered: ["hide"] });
  const plane = queryKeyPlanePanel(boxes.plane, bench);
  const views = {
    vectors: mount(boxes.vectors, vectorsView, {
      onOrder: (elements) => state.set({ elements }, "switch"),
      onSwap: () => {
        const { query, key } = state.get();
        if (key !== null) state.set({ query: key, key: query }, "pick");
      },
    }),
  };

  /** @param {Scene} scene @returns {number | null}  the key chosen, or that of the largest weight */
  function keyOf({ value, analysis, part, keys }) {
    const { layer, head, query, hide } = value;
    const isOpen = value.key === null && query !== null;
    const asked = { part: part.name, layer, head, stage: /** @type {const} */ ("weights") };
    const [row] = rows.take(analysis.id, isOpen ? [{ ...asked, rows: [query, query + 1] }] : []);
    return value.key ?? (row ? strongest(row.values, keys, hide) : null);
  }

  const panel = createPanel(element, {
    stands: [options.box, note, problem.box, ...Object.values(boxes)],
    views,
    asks: [pairs, rows, problem, options, { clear: plane.hide }],
    draw(scene) {
      const { value, analysis, part, queries, keys } = scene;
      const { layer, head, query, numbering, elements } = value;
      const key = keyOf(scene);
      options.show(value);
      note.textContent = keyNote(value.key);
      const asked = query === null || key === null ? [] : [{ part: part.name, layer, head, query, key }];
      const [vectors = null] = pairs.take(analysis.id, asked);
      // What stands below stays where it is while other vectors are fetched.
      boxes.vectors.style.minBlockSize = vectors ? "" : `${boxes.vectors.offsetHeight}px`;
      const pair = { query: queries[query ?? 0], key: keys[key ?? 0] };
      views.vectors(vectors && { vectors, ...pair, numbering, elements, part });
      plane.show(scene, { key, weight: vectors?.weight ?? null });
      problem.show();
    },
    point: (place) => plane.point(place),
  });
  return {
    ...panel,
    show(scene) {
      if (scene.part.stages.includes("raw_scores")) return panel.show(scene);
      panel.clear();
      fill(element, unknown(scene.analysis));
    },
  };
}

/** @param {number | null} key */
function keyNote(key) {
  return key === null
    ? t("No key is chosen, so this is the one with the largest weight.")
    : t("Choose the query in the text above, the key in the matrix, in the lines or in the plane below.");
}

/** @param {import("../../api/types.js").Analysis} analysis */
function unknown(analysis) {
  const text = isWeightsOnly(analysis)
    ? t("Weights only: there are no vectors to show.")
    : t("Weights were uploaded without queries and keys: there are no vectors to show.");
  return el("p", { class: "note" }, text);
}

/**
 * @param {Float32Array} weights
 * @param {import("../../api/types.js").Token[]} keys
 * @param {boolean} hide  special tokens, unless there are no others
 */
function strongest(weights, keys, hide) {
  const isSeen = (/** @type {number} */ key) => !hide || !keys[key].special;
  const [first] = rank(
    weights.map((weight, key) => (isSeen(key) ? weight : -1)),
    1,
  ).first;
  return first;
}
