/** The vectors behind one cell of the chosen head. */

import { getVectors, getWindow } from "../../api/analyses.js";
import { createAnalysisResource } from "../../requests/cached_resource.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { failureView } from "../../page/failure.js";
import { mount } from "../../base/mount.js";
import { optionsView } from "../widgets/options.js";
import { rank } from "../widgets/reads.js";
import { vectorsView } from "./vectors.js";
import { queryKeyPlanePanel } from "./plane_panel.js";

const KEPT = 32;

/**
 * @typedef {object} TokenVectors  null where the token plays no such role
 * @property {number} index
 * @property {number[] | null} query
 * @property {number[] | null} key
 * @property {number[] | null} value
 *
 * @typedef {object} PairVectors  how two tokens' vectors become one weight
 * @property {number} kv_head
 * @property {TokenVectors} query_token
 * @property {TokenVectors} key_token
 * @property {number[]} products
 * @property {number} raw_score
 * @property {number} scale
 * @property {number} scaled_score
 * @property {number} bias
 * @property {number | string} masked_score
 * @property {number} weight
 */

/**
 * @param {HTMLElement} element
 * @param {import("../../api/types.js").Bench} bench
 * @returns {import("../../api/types.js").Panel}
 */
export function vectorsPanel(element, bench) {
  const { state, session, schedule } = bench;
  const box = el("div");
  const planeBox = el("div");
  const bar = el("div");
  const problem = el("div", { class: "failure" });
  const note = el("p", { class: "note" });
  const pairs = createAnalysisResource(session, getVectors, { lane: "vectors", onChange: schedule, kept: KEPT });
  const rows = createAnalysisResource(session, getWindow, { lane: "weights", onChange: schedule, kept: KEPT });
  const showProblem = mount(problem, failureView, {});
  const plane = queryKeyPlanePanel(planeBox, bench);
  const showOptions = mount(bar, optionsView, {
    onChange: (name, value) => state.set({ [name]: value }, "switch"),
  });
  const show = mount(box, vectorsView, {
    onOrder: (elements) => state.set({ elements }, "switch"),
    onSwap: () => {
      const { query, key } = state.get();
      if (key !== null) state.set({ query: key, key: query }, "pick");
    },
  });

  function clear() {
    pairs.clear();
    showProblem(null);
    rows.clear();
    plane.hide();
    show(null);
    showOptions(null);
    element.replaceChildren();
  }

  return {
    show(scene) {
      const { value, analysis, part, queries, keys } = scene;
      if (!part.stages.includes("raw_scores")) {
        clear();
        fill(element, unknown());
        return;
      }
      if (!box.isConnected) fill(element, bar, note, problem, box, planeBox);
      const { layer, head, query, numbering, elements, hide } = value;
      const stage = /** @type {const} */ ("weights");
      const at = { part: part.name, layer, head };
      const isOpen = value.key === null && query !== null;
      const [row] = rows.take(analysis.id, isOpen ? [{ ...at, stage, rows: [query, query + 1] }] : []);
      const key = value.key ?? (row ? strongest(row.values, keys, hide) : null);
      const none = { hide, words: false, renormalise: true, mean: false, heads: 1, obstacle: "" };
      showOptions({ ...none, offered: ["hide"] });
      const known = query !== null && key !== null;
      note.textContent =
        value.key === null
          ? t("No key is chosen: this is the one with the largest weight.")
          : t("Query: picked in the text above. Key: picked in the matrix, in lines, or in the plane below.");
      const [vectors] = known ? pairs.take(analysis.id, [{ ...at, query, key }]) : pairs.take(analysis.id, []);
      // What stands below stays where it is while other vectors are fetched.
      box.style.minBlockSize = vectors ? "" : `${box.offsetHeight}px`;
      show(vectors && known ? { vectors, query: queries[query], key: keys[key], numbering, elements, part } : null);
      plane.show(scene, { key, weight: vectors?.weight ?? null });
      showProblem(rows.failure() ?? pairs.failure());
    },
    point: (at) => plane.point(at),
    hide: clear,
  };
}

function unknown() {
  return el("p", { class: "note" }, t("Weights were uploaded without queries and keys: there are no vectors to show."));
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
