/** Every head as a line of a table, with its metrics. */

import { getHeadScores } from "../api.js";
import { formatHeads, formatLimits, parseHeads, parseLimits, toggleHead } from "../head_list.js";
import { remembering } from "../remembering.js";
import { createShelf } from "../shelf.js";
import { headsTableView } from "../views/heads_table.js";
import { mount } from "../views/mount.js";

/** @typedef {import("../types.js").MetricInfo} MetricInfo */
/** @typedef {import("../types.js").Part} Part */

/**
 * @param {HTMLElement} element
 * @param {import("../types.js").Bench} bench
 * @returns {import("../types.js").Panel}
 */
export function headsPanel(element, { state, session, schedule }) {
  const scores = createShelf(
    session,
    (_id, /** @type {string} */ model, signal) => getHeadScores(model, signal),
    schedule,
    1,
  );
  const withScores = remembering(addScores);
  /** @type {Part | null} */
  let part = null;
  const show = mount(element, headsTableView, {
    onPick: (head) => state.set(head, "pick"),
    onToggle: (head) => {
      if (part) state.set({ heads: formatHeads(toggleHead(parseHeads(state.get().heads, part), head)) }, "pick");
    },
    onOrder: (order) => state.set({ order }, "pick"),
    onFind: (find) => state.set({ find }, "type"),
    onLimit: (name, ends) => {
      state.set({ limits: formatLimits({ ...parseLimits(state.get().limits), [name]: ends }) }, "move");
    },
    onClear: () => state.set({ find: "", limits: "" }, "pick"),
  });
  return {
    show(scene) {
      const { model, metric_info: info } = scene.analysis;
      // What decoders do on random tokens belongs to the model; it is asked for only where it is shown.
      const isDecoder = typeof model !== "string" && model.kind === "decoder" && scene.part.causal;
      const [found] = scores.take("", isDecoder ? [model.id] : []);
      const known = withScores(scene.part, info, found ?? null);
      part = known.part;
      const { layer, head, numbering, order, find, limits, heads } = scene.value;
      show({ ...known, layer, head, numbering, order, find, limits, chosen: heads });
    },
    hide() {
      scores.clear();
      show(null);
    },
  };
}

/**
 * @param {Part} part
 * @param {Record<string, MetricInfo>} info
 * @param {import("../types.js").HeadScores | null} found
 * @returns {{part: Part, info: Record<string, MetricInfo>}}
 */
function addScores(part, info, found) {
  const scores = found?.parts.find(({ name }) => name === part.name)?.scores;
  if (!found || !scores) return { part, info };
  return { part: { ...part, metrics: { ...part.metrics, ...scores } }, info: { ...info, ...found.score_info } };
}
