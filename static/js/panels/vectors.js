/** The vectors behind one cell of the chosen head. */

import { getVectors, getWindow } from "../api.js";
import { el, fill } from "../dom.js";
import { t } from "../i18n.js";
import { createShelf } from "../shelf.js";
import { mount } from "../views/mount.js";
import { optionsView } from "../views/options.js";
import { rank } from "../views/reads.js";
import { vectorsView } from "../views/vectors.js";

const KEPT = 32;

/**
 * @param {HTMLElement} element
 * @param {import("../types.js").Bench} bench
 * @returns {import("../types.js").Panel}
 */
export function vectorsPanel(element, { state, session, schedule }) {
  const box = el("div");
  const bar = el("div");
  const line = el("p", { class: "field-error", role: "alert", hidden: true });
  const note = el("p", { class: "note" });
  const shelf = createShelf(session, getVectors, schedule, KEPT);
  const rows = createShelf(session, getWindow, schedule, KEPT);
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

  return {
    show({ value, analysis, part, queries, keys }) {
      if (!box.isConnected) fill(element, bar, note, box, line);
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
          : t("Query: picked in the text above. Key: picked in the matrix or in lines.");
      const [vectors] = known ? shelf.take(analysis.id, [{ ...at, query, key }]) : [null];
      show(vectors && known ? { vectors, query: queries[query], key: keys[key], numbering, elements, part } : null);
      const problem = shelf.problem();
      line.hidden = !(problem instanceof Error);
      line.textContent = problem instanceof Error ? problem.message : "";
    },
    hide() {
      shelf.clear();
      rows.clear();
      show(null);
      showOptions(null);
      element.replaceChildren();
    },
  };
}

/**
 * @param {Float32Array} weights
 * @param {import("../types.js").Token[]} keys
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
