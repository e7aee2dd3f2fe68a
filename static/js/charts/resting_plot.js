/** Plotly's heat map of a window that rests: loaded when the page is idle, drawn when nothing has moved for a while. */

import { plotScale } from "../base/color.js";
import { t } from "../base/i18n.js";
import { createHeatmap, loadPlotly } from "./plot.js";

/** @typedef {import("../api/types.js").Range} Range */

/**
 * @typedef {object} Resting  what is shown
 * @property {import("../api/types.js").Matrix} matrix
 * @property {Range} rows
 * @property {Range} cols
 * @property {[number, number]} limits
 * @property {import("./heat_map/heat_map.js").Paint} paint
 * @property {{inner: {left: number, top: number, width: number, height: number}, width: number, height: number}} shape
 */

const REST_MS = 120;
/** The labels are the page's own: those of Plotly could not move along. */
const NO_LABELS = { at: [], text: [] };
const nothing = () => {};
const NO_LISTENERS = { onHover: nothing, onLeave: nothing, onClick: nothing, onZoom: nothing, onReset: nothing };

/**
 * @param {HTMLElement} target
 * @param {string} url  of Plotly; "" to do without
 * @param {{onDrawn: () => void, onProblem: (message: string) => void}} told
 */
export function createRestingPlot(target, url, { onDrawn, onProblem }) {
  /** @type {ReturnType<typeof createHeatmap> | null} */
  let heatmap = null;
  /** @type {Resting | null} */
  let wanted = null;
  /** @type {Resting | null} */
  let shown = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let isGone = false;
  const forget = whenIdle(() => void prepare());

  async function prepare() {
    if (url === "") return; // a file has no Plotly: what is drawn meanwhile stays
    try {
      const plotly = await loadPlotly(url);
      if (isGone) return;
      heatmap = createHeatmap(plotly, target, NO_LISTENERS);
      plan();
    } catch (error) {
      if (!(error instanceof Error) || isGone) throw error;
      onProblem(t("The plotting library could not be loaded: the page's own drawing stays."));
    }
  }

  function plan() {
    clearTimeout(timer);
    if (heatmap && wanted) timer = setTimeout(() => void drawNow(), REST_MS);
  }

  async function drawNow() {
    const now = wanted;
    if (!heatmap || !now || isGone) return;
    const { matrix, rows, cols, limits, paint, shape } = now;
    const { inner, width, height } = shape;
    const right = width - inner.left - inner.width;
    const bottom = height - inner.top - inner.height;
    await heatmap.draw({
      ...{ matrix, rows, cols, limits, width, height },
      rowLabels: NO_LABELS,
      colLabels: NO_LABELS,
      scale: plotScale(paint.stops, paint.emphasis),
      margins: { left: inner.left, top: inner.top, right, bottom },
      type: { font: "sans-serif", size: 12, row: paint.query, col: paint.key },
      drag: false,
    });
    shown = now;
    if (now === wanted) onDrawn();
  }

  return {
    /**
     * Draws this soon; tells whether it stands there already.
     * @param {Resting} resting
     * @returns {boolean}
     */
    show(resting) {
      if (shown && isSame(shown, resting)) {
        wanted = shown;
        clearTimeout(timer);
        return true;
      }
      if (!wanted || wanted === shown || !isSame(wanted, resting)) {
        wanted = resting;
        plan();
      }
      return false;
    },
    /** What was to be drawn is no longer true. */
    cancel() {
      wanted = null;
      clearTimeout(timer);
    },
    destroy() {
      isGone = true;
      forget();
      clearTimeout(timer);
      heatmap?.destroy();
    },
  };
}

/**
 * @param {Resting} one
 * @param {Resting} other
 */
function isSame(one, other) {
  const flat = (/** @type {Resting} */ { rows, cols, limits, shape }) => JSON.stringify([rows, cols, limits, shape]);
  return one.matrix === other.matrix && one.paint === other.paint && flat(one) === flat(other);
}

/**
 * @param {() => void} then
 * @returns {() => void}  calls it off
 */
function whenIdle(then) {
  if (!("requestIdleCallback" in globalThis)) {
    const timer = setTimeout(then, 200);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(then, { timeout: 2000 });
  return () => cancelIdleCallback(handle);
}
