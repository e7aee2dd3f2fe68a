/** The selection of an Explorer in a notebook's cell, in step with the one in Python; and the notebook's theme. */

import { formatRange, partOf, readWindow } from "../state/selection.js";
import { VIEWS } from "../state/view_state.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */

/**
 * @typedef {object} Selection  as Python names and counts it
 * @property {string} part
 * @property {number} layer
 * @property {number} head
 * @property {ViewState["stage"]} stage
 * @property {ViewState["view"]} view
 * @property {number | null} query
 * @property {number | null} key
 * @property {Range} rows
 * @property {Range} cols
 */

/**
 * @param {Analysis} analysis
 * @param {ViewState} value  that fits the analysis
 * @returns {Selection}
 */
export function selectionOf(analysis, value) {
  const part = partOf(analysis, value.part);
  const { layer, head, stage, view, query, key } = value;
  return { part: part.name, layer, head, stage, view, query, key, ...readWindow(value, part) };
}

/**
 * The change that makes a state the selection.
 * @param {Analysis} analysis
 * @param {Partial<Selection>} selection
 * @returns {Partial<ViewState>}
 */
export function patchOf(analysis, { part: name, rows, cols, view, ...rest }) {
  const part = partOf(analysis, name ?? "");
  return {
    ...rest,
    ...(name !== undefined && { part: part === analysis.parts[0] ? "" : part.name }),
    ...(view !== undefined && VIEWS.includes(view) && { view }),
    ...(rows !== undefined && { rows: formatRange(rows, part.query_tokens) }),
    ...(cols !== undefined && { cols: formatRange(cols, part.key_tokens) }),
  };
}

/**
 * @param {import("../../base/host.js").Host} host
 * @param {object} explorer
 * @param {Analysis} explorer.analysis
 * @param {import("../../base/store.js").Store<ViewState>} explorer.state
 * @param {(value: ViewState) => ViewState} explorer.fitted
 */
export function bindNotebook(host, { analysis, state, fitted }) {
  let told = "";
  /** Of the newest choice that came from Python: what was told before knows nothing of it. @type {unknown} */
  let turn = 0;

  function tell() {
    const selection = selectionOf(analysis, fitted(state.get()));
    const text = JSON.stringify([turn, selection]);
    if (text === told) return;
    told = text;
    host.tell({ type: "observatory:selection", turn, selection });
  }

  host.listen("observatory:select", ({ turn: newest, selection }) => {
    turn = newest;
    state.set(patchOf(analysis, /** @type {Partial<Selection>} */ (selection)), "notebook");
    tell(); // also what did not fit and became something else
  });
  host.listen("observatory:theme", ({ theme }) => {
    state.set({ theme: /** @type {ViewState["theme"]} */ (theme) }, "notebook");
  });
  state.subscribe(tell);
  host.tell({ type: "observatory:ready" });
}
