/** Charts drawn by Plotly, which is loaded when the first of them comes into view. No other module touches it. */

import { fill } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { onThemeChange } from "../base/theme.js";
import { drawnLate } from "./late_drawing.js";
import { loadedFrom } from "./plot_library.js";
import { layoutOf, plotColors, tracesOf } from "./plot_figure.js";
import { createPlotFrame } from "./plot_frame.js";
import { createRedrawing } from "./plot_redraw.js";
import { nearest, placesOf, steppedPlace, valuesAt, zoomed } from "./plot_data.js";

/** @typedef {import("./plot_data.js").Plot} Plot */
/** @typedef {import("./plot_figure.js").Part} Part */

/**
 * What is used of Plotly.
 * @typedef {object} Library
 * @property {(place: HTMLElement, data: Part[], layout: Part, config: Part) => Promise<unknown>} react
 * @property {(place: HTMLElement, changes: Part) => Promise<unknown>} relayout
 * @property {(figure: {data: Part[], layout: Part}, options: Part) => Promise<unknown>} downloadImage
 * @property {(place: HTMLElement) => void} purge
 * @property {{hover: (place: HTMLElement, at: Part, subplot: string) => void, unhover: (place: HTMLElement) => void}} Fx
 */

/** @typedef {HTMLElement & {on?: (event: string, listener: (event: Hovered) => void) => void, _fullLayout?: {xaxis: {range: [number, number], _offset: number, _length: number}}}} Drawing */
/** @typedef {{points?: {x: unknown}[]}} Hovered */

const CONFIG = { displayModeBar: false, doubleClick: false, scrollZoom: false, responsive: false };
/** What can hover can drag; on a touch screen dragging scrolls the page. */
const POINTER = "(hover: hover) and (pointer: fine)";

/** @returns {Promise<Library>} */
const library = () => loadedFrom(() => /** @type {{Plotly?: Library}} */ (/** @type {unknown} */ (window)).Plotly);

/**
 * @param {HTMLElement} element
 * @param {Plot} data
 * @returns {import("../base/mount.js").View<Plot>}
 */
export function plotView(element, data) {
  const frame = createPlotFrame({
    onZoom: zoom,
    onReset: reset,
    onToggle: toggle,
    onSave: save,
    onRetry: () => redraw(),
    onKey,
    onTap,
  });
  const place = /** @type {Drawing} */ (frame.drawing);
  fill(element, frame.element);
  let shown = data;
  let colors = plotColors();
  let width = frame.frame.clientWidth;
  let revision = 0;
  let isThere = false;
  /** @type {number | null} */
  let at = null;
  /** @type {Set<string>} */
  const off = new Set();
  const redrawing = createRedrawing(frame.element, draw);
  const redraw = redrawing.redraw;
  drawnLate(frame.element, redrawing.drawn);
  const sizing = new ResizeObserver(() => {
    if (frame.frame.clientWidth !== width) redraw();
  });
  const stopTheme = onThemeChange(() => {
    colors = plotColors();
    redraw();
  });

  async function draw() {
    if (!isThere) frame.tell(t("Loading the chart …"));
    try {
      const plotly = await library();
      if (redrawing.isOver()) return;
      width = frame.frame.clientWidth;
      const layout = layoutOf(shown, colors, { ...fitted(), hasPointer: matchMedia(POINTER).matches, revision });
      await plotly.react(place, tracesOf(shown, colors, off), layout, CONFIG);
      if (!isThere) listen();
      isThere = true;
      frame.tell("");
    } catch {
      frame.tell(t("The chart could not be loaded. Its numbers are below."), true);
    }
  }

  function fitted() {
    return { width, font: getComputedStyle(frame.element).fontFamily };
  }

  function listen() {
    place.on?.("plotly_hover", ({ points }) => {
      const x = Number(points?.[0]?.x);
      if (Number.isFinite(x)) readAt(x);
    });
    place.on?.("plotly_doubleclick", reset);
  }

  /** @param {number | null} x */
  function readAt(x) {
    at = x;
    const said = at === null ? [] : valuesAt(shown, off, at).map(({ name, said }) => `${name} ${said}`);
    const head = at === null ? "" : `${shown.x.name} ${nameAt(shown, at)}`.trim();
    frame.read(shown.x, at, head && `${head}: ${said.join(", ")}`);
  }

  /** @param {number} clientX */
  function onTap(clientX) {
    const axis = place._fullLayout?.xaxis;
    const places = placesOf(shown, off);
    if (!axis || places.length === 0) return;
    const share = (clientX - place.getBoundingClientRect().left - axis._offset) / axis._length;
    const value = axis.range[0] + share * (axis.range[1] - axis.range[0]);
    const x = nearest(places, shown.x.log ? 10 ** value : value);
    readAt(x);
    showAt(x);
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const keys = { "+": () => zoom(0.5), "-": () => zoom(2), 0: reset, Escape: unread };
    const act =
      event.altKey || event.ctrlKey || event.metaKey ? null : keys[/** @type {keyof typeof keys} */ (event.key)];
    const next = steppedPlace(event, placesOf(shown, off), at);
    if (!act && next === null) return;
    event.preventDefault();
    if (act) act();
    else if (next !== null) {
      readAt(next);
      showAt(next);
    }
  }

  /** @param {number} x */
  function showAt(x) {
    if (isThere && Number.isFinite(x)) void library().then(({ Fx }) => Fx.hover(place, { xval: x }, "xy"));
  }

  function unread() {
    readAt(null);
    if (isThere) void library().then(({ Fx }) => Fx.unhover(place));
  }

  /** @param {number} factor */
  function zoom(factor) {
    const range = place._fullLayout?.xaxis.range;
    if (!range) return;
    const around = at === null ? null : shown.x.log ? Math.log10(at) : at;
    const wanted = zoomed(range, factor, around);
    void library().then((plotly) => plotly.relayout(place, { "xaxis.range": wanted }));
  }

  function reset() {
    revision++;
    redraw();
  }

  /** @param {string} name */
  function toggle(name) {
    if (!off.delete(name)) off.add(name);
    frame.show(shown, off);
    redraw();
  }

  /** @param {"png" | "svg"} format */
  function save(format) {
    const layout = layoutOf(shown, colors, { ...fitted(), hasPointer: false, revision });
    const named = { ...layout, paper_bgcolor: colors.page, showlegend: shown.series.length > 1 };
    const above = { title: { text: shown.title }, height: shown.height + 80, margin: { l: 52, r: 14, t: 84, b: 44 } };
    const legend = { orientation: "h", y: -0.2 };
    const figure = { data: tracesOf(shown, colors, off), layout: { ...named, ...above, legend } };
    const options = { format, width, height: above.height, scale: 2, filename: shown.title };
    void library().then((plotly) => plotly.downloadImage(figure, options));
  }

  /** @param {Plot} next */
  function update(next) {
    shown = next;
    frame.show(next, off);
    readAt(at);
    redraw();
  }

  frame.tell(t("Loading the chart …"));
  update(data);
  sizing.observe(frame.frame);
  return {
    update,
    destroy() {
      redrawing.stop();
      sizing.disconnect();
      stopTheme();
      if (isThere) void library().then(({ purge }) => purge(place));
      element.replaceChildren();
    },
  };
}

/** @param {Plot} plot @param {number} x */
function nameAt({ x: axis }, x) {
  const index = axis.names ? (axis.ticks ?? []).indexOf(x) : -1;
  return index < 0 ? String(Number(x.toPrecision(4))).replace("-", "−") : (axis.names ?? [])[index];
}
