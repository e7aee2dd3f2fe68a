/** A chart of Plotly: loaded when the first comes into view, drawn again for other data, another theme or width. */

import { t } from "../../base/i18n.js";
import { isOnPaper, onPaper } from "../../base/theme/paper.js";
import { onThemeChange } from "../../base/theme/theme.js";
import { drawnLate } from "../late_drawing.js";
import { plotColors } from "./plot_figure.js";
import { loadedFrom } from "./plot_library.js";
import { createRedrawing } from "./plot_redraw.js";

/** @typedef {import("./plot_figure.js").Part} Part */
/** @typedef {import("./plot_figure.js").PlotColors} PlotColors */

/**
 * What is used of Plotly.
 * @typedef {object} Library
 * @property {(place: HTMLElement, data: Part[], layout: Part, config: Part) => Promise<unknown>} react
 * @property {(place: HTMLElement, changes: Part) => Promise<unknown>} relayout
 * @property {(figure: {data: Part[], layout: Part}, options: Part) => Promise<unknown>} downloadImage
 * @property {(place: HTMLElement) => void} purge
 * @property {{hover: (place: HTMLElement, at: Part | Part[], subplot: string) => void, unhover: (place: HTMLElement) => void}} Fx
 */

/**
 * @typedef {{range: readonly [number, number], _offset: number, _length: number}} DrawnAxis
 * @typedef {object} Happened  what Plotly tells of an event; each kind has some of it
 * @property {{curveNumber: number, pointNumber: number, x: unknown}[]} points
 * @property {MouseEvent} [event]
 * @property {object} [range]  of a selection with a box
 * @property {object} [lassoPoints]
 */
/**
 * @typedef {HTMLElement & {on?: (event: string, listener: (event: Happened & {"xaxis.range[0]"?: number}) => void) => void, data?: object[], _fullLayout?: {xaxis: DrawnAxis, yaxis: DrawnAxis}}} Drawing
 *
 * @typedef {object} Fitted  what a figure depends on besides its data
 * @property {PlotColors} colors
 * @property {number} width
 * @property {number} height
 * @property {string} font
 * @property {boolean} hasPointer  whether dragging zooms; on a touch screen it scrolls the page
 */

/** @typedef {{title: string, hasLegend: boolean}} SavedChart */

const CONFIG = { displayModeBar: false, doubleClick: false, scrollZoom: false, responsive: false };
/** What can hover can drag; on a touch screen dragging scrolls the page. */
const POINTER = "(hover: hover) and (pointer: fine)";
/** Room of a saved chart for its title and its legend. */
const SAVED = { more: 80, margin: { l: 52, r: 14, t: 84, b: 44 } };

const plotly = () => loadedFrom(() => /** @type {{Plotly?: Library}} */ (/** @type {unknown} */ (window)).Plotly);

/** Whether this is a saved file, which has no Plotly. */
function isSaved() {
  return document.querySelector("script[data-packed-module]") !== null;
}

/**
 * @param {ReturnType<typeof import("./plot_frame.js").createPlotFrame>} frame
 * @param {object} chart
 * @param {(fitted: Fitted) => {data: Part[], layout: Part}} chart.figure
 * @param {(place: Drawing) => void} chart.listen  called once, when it is drawn for the first time
 * @param {() => Promise<Library>} chart.plain  draws the same as plain SVG in a saved file
 */
export function createPlotDrawing(frame, { figure, listen, plain }) {
  const library = isSaved() ? plain : plotly;
  const place = /** @type {Drawing} */ (frame.drawing);
  let isThere = false;
  const redrawing = createRedrawing(frame.element, draw);
  drawnLate(frame.element, redrawing.drawn);
  const fitting = createFitting(frame, redrawing.redraw);
  const stopPaper = drawOnPaper(frame.paper, plain, () => {
    fitting.measure();
    return figure({ ...fitting.now(), colors: plotColors(), hasPointer: false });
  });
  frame.tell(t("Loading the chart …"));

  async function draw() {
    if (!isThere) frame.tell(t("Loading the chart …"));
    try {
      const { react } = await library();
      if (redrawing.isOver()) return;
      fitting.measure();
      const { data, layout } = figure(fitting.now());
      fitting.measure(); // which a figure may have changed
      await react(place, data, layout, CONFIG);
      if (!isThere) listen(place);
      isThere = true;
      frame.tell("");
    } catch {
      frame.tell(t("The chart could not be loaded. Its numbers are below."), true);
    }
  }

  /** @param {(library: Library, colors: PlotColors) => unknown} use  nothing happens before the chart is drawn */
  function call(use) {
    if (isThere) void library().then((loaded) => !redrawing.isOver() && use(loaded, fitting.now().colors));
  }

  return {
    place,
    redraw: redrawing.redraw,
    call,
    /** Downloads the chart with its title and legend. @param {"png" | "svg"} format @param {SavedChart} chart */
    save(format, chart) {
      const fitted = { ...fitting.now(), hasPointer: false };
      const { colors, width, height } = fitted;
      const saved = savedFigure(figure(fitted), chart, { page: colors.page, height });
      const options = { format, width, height: saved.layout.height, scale: 2, filename: chart.title };
      call(({ downloadImage }) => downloadImage(saved, options));
    },
    stop() {
      redrawing.stop();
      fitting.stop();
      stopPaper();
      if (isThere) void library().then(({ purge }) => purge(place));
    },
  };
}

/**
 * What a figure depends on besides its data.
 * @param {{element: HTMLElement, frame: HTMLElement}} frame
 * @param {() => void} onChange  another theme, another size
 */
function createFitting({ element, frame }, onChange) {
  let colors = plotColors();
  let size = sizeOf(frame);
  const sizing = new ResizeObserver(() => {
    const { width, height } = sizeOf(frame);
    if (width !== size.width || height !== size.height) onChange();
  });
  const stopTheme = onThemeChange(() => {
    colors = plotColors();
    onChange();
  });
  sizing.observe(frame);

  return {
    measure() {
      size = sizeOf(frame);
    },
    /** @returns {Fitted} */
    now() {
      const { fontFamily: font } = getComputedStyle(element);
      return { colors, ...size, font, hasPointer: matchMedia(POINTER).matches };
    },
    stop() {
      sizing.disconnect();
      stopTheme();
    },
  };
}

/**
 * What draws a chart for paper, which waits for nothing.
 * @param {HTMLElement} paper
 * @param {() => Promise<Library>} plain
 * @param {() => {data: Part[], layout: Part}} figure
 * @returns {() => void}  ends it
 */
function drawOnPaper(paper, plain, figure) {
  /** @type {Library | null} */
  let library = null;
  whenIdle(() => void plain().then((loaded) => (library = loaded)));
  return onPaper(() => {
    if (!isOnPaper()) return library?.purge(paper);
    const { data, layout } = figure();
    void library?.react(paper, data, layout, CONFIG);
  });
}

/**
 * A figure as a file shows it, with its title above and its legend below.
 * @param {{data: Part[], layout: Part}} figure
 * @param {SavedChart} chart
 * @param {{page: string, height: number}} on  `page`: its colour
 */
export function savedFigure({ data, layout }, { title, hasLegend }, { page, height }) {
  const above = { title: { text: title }, height: height + SAVED.more, margin: SAVED.margin };
  const named = { paper_bgcolor: page, showlegend: hasLegend, legend: { orientation: "h", y: -0.2 } };
  return { data, layout: { ...layout, ...named, ...above } };
}

/** Not before the page is there. @param {() => void} task */
function whenIdle(task) {
  if ("requestIdleCallback" in window) requestIdleCallback(task);
  else setTimeout(task, 0);
}

/** @param {HTMLElement} place */
function sizeOf({ clientWidth: width, clientHeight: height }) {
  return { width, height };
}
