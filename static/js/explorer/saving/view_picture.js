/** The picture of a view as it stands on the page: which of its elements belong in it, and what stands above them. */

import { t } from "../../base/i18n.js";
import { drawNow } from "../../charts/late_drawing.js";
import { headName, stageName } from "../../wording/labels.js";
import { drawsOneHead, viewName } from "../state/view_names.js";
import { pageScheduler } from "../../requests/page_requests.js";
import { captionOf } from "./captions.js";
import { snapshot } from "./snapshot.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../state/view_state.js").ViewName} ViewName */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */

/** The elements of each view that belong in an image: no controls. @type {Record<ViewName, string>} */
const BLOCKS = {
  matrix: ".matrix-column > .axes, #matrix, #legend, #cell-notes, #reads",
  lines: ".series, .lines, .lines + .note, .lines-readout",
  vectors: ".vectors-title, .vectors-strips, .vectors-sum, .plane-title, .plane-plot, .plane-legend",
  token: ".token-title, .axes, .token-grid, .token-readout",
  rollout:
    ".rollout-title, .rollout-heading, .rollout .axes, .rollout-whole .axes, .matrix-frame, .legend, .rollout-readout, .rollout-whole .readout, .rollout-tokens",
  output:
    ".output-chooser .token-title, .output-chips, .lens-table, .shares-map, .shares-list, .effect-columns, .attribution-output, .attribution-map > .output-title, .attribution-map > .axes, .attribution-map > .matrix, .attribution-map > .legend, .attribution-list",
  flow: ".flow-frame, .flow-readout:not(:has(.flow-hint)), .flow-legend, .flow-title, .flow-candidates, .flow-list, .flow-rest",
  patching:
    ".patching-runs, .patching-title, .patching-results .shares-map, .patching-results .shares-list, .patching-legend",
  heads: ".scatter, .scatter + .readout, .heads-table",
  compare: ".compare-results .axes, .compare-maps",
  reach: ".reach-verdict, .reach .axes, .reach-maps, .reach-legend, .reach-pair",
  prompts:
    ".prompts-column .output-title, .prompts-pattern > .axes, .prompts-pattern > .matrix, .prompts-pattern > .legend, .prompts-cell:not(.readout-hint), .prompts-grid, .prompts-readout, .scatter, .scatter + .readout",
};

const VIEW = "[role=tabpanel]:not([hidden])";
/** Milliseconds in which a view that waits for nothing has drawn what has come, and in which it has begun to draw. */
const [STILL, PATIENCE] = [250, 1000];

/** What of them is a slide's: the picture as it is presented, without the tables and lists below it. */
const SLIDE_BLOCKS = {
  ...BLOCKS,
  vectors: ".vectors-title, .vectors-strips, .vectors-sum",
  rollout: ".rollout-title, .rollout-heading, .rollout .axes, .rollout .matrix-frame, .rollout .legend",
  output:
    ".output-chooser .token-title, .output-chips, .lens-table, .shares-map, .effect-columns, .attribution-output, .attribution-map > .output-title, .attribution-map > .axes, .attribution-map > .matrix, .attribution-map > .legend",
  heads: ".scatter, .scatter + .readout",
};

/**
 * @param {ViewState} value
 * @param {Analysis} analysis
 * @param {{isSlide?: boolean}} [options]
 * @returns {{selector: string, title: string, note: string}}
 */
export function viewPicture(value, analysis, { isSlide = false } = {}) {
  const name = headName(value.layer, value.head, value.numbering);
  const shown = value.view === "matrix" ? stageName(value.stage) : viewName(value.view);
  const title = drawsOneHead(value.view) ? `${name} · ${shown}` : shown;
  const blocks = (isSlide ? SLIDE_BLOCKS : BLOCKS)[value.view];
  return { selector: `#panel-${value.view} :is(${blocks})`, title, note: captionOf(value, analysis) };
}

/**
 * Waits for what is still being loaded or drawn.
 * @param {Document} root
 * @param {string} selector
 * @param {{title: string, note: string} | null} words  above it; null for none
 * @param {object} how
 * @param {string | null} how.ground
 * @param {() => boolean} how.isCurrent  whether the page still shows what the words are of
 * @param {AbortSignal} how.signal
 */
export async function drawing(root, selector, words, { ground, isCurrent, signal }) {
  let quietSince = Infinity;
  for (;;) {
    await new Promise((resolve) => requestAnimationFrame(resolve)); // what is said about it is seen first
    signal.throwIfAborted();
    if (!isCurrent()) throw new Error(t("The view has changed in the meantime. Try again."));
    const blocks = blocksOf(root, selector);
    const isQuiet = !pageScheduler().isAsking() && ![root.querySelector(VIEW), ...blocks].some(isUnderWay);
    const now = performance.now();
    quietSince = isQuiet ? Math.min(quietSince, now) : Infinity;
    if (now - quietSince < (blocks.length > 0 ? STILL : PATIENCE)) continue;
    if (blocks.length === 0) throw new Error(t("There is nothing to draw yet."));
    await drawNow(blocks);
    return snapshot(blocks, words, ground);
  }
}

/**
 * @param {Document} root
 * @param {string} selector
 */
function blocksOf(root, selector) {
  return [...root.querySelectorAll(selector)].filter((block) => {
    const { width, height } = block.getBoundingClientRect();
    return block.checkVisibility() && width > 0 && height > 0;
  });
}

/** Whether a block, or anything else of its view, is still being loaded or drawn. @param {Element | null} block */
function isUnderWay(block) {
  const view = block?.closest("[role=tabpanel]") ?? block;
  if (!block || !view) return false;
  return (block.closest("[aria-busy=true]") ?? view.querySelector("[aria-busy=true]:not(.matrix-frame)")) !== null;
}
