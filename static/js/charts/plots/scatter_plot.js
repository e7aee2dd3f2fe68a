/** Points in a plane with equal units on both axes, drawn by Plotly: point at, choose, select, zoom, switch off. */

import { fill } from "../../base/dom.js";
import { differs } from "../../base/mount.js";
import { createPlotDrawing } from "./plot_drawing.js";
import { createPlotFrame } from "./plot_frame.js";
import { indexOf, nextPoint, pairOf, toggled, united } from "./scatter_data.js";
import { heightAround, overlayOf, scatterFigure, sizeWithin } from "./scatter_figure.js";
import { extentOf, heightOf, isWithin, nearest, spotOf, wholeOf } from "./scatter_layout.js";

/** @typedef {import("./scatter_data.js").Scatter} Scatter */
/** @typedef {import("./scatter_data.js").At} At */
/** @typedef {import("./plot_frame.js").Selecting} Selecting */

/**
 * @typedef {object} ScatterActions
 * @property {(at: At | null) => void} onPoint
 * @property {(at: At) => void} onPick
 * @property {(selected: At[]) => void} onSelect
 * @property {string} describedBy  id of the element that says what is pointed at
 */

const plain = () => import("../plain/scatter.js");

const CLOSER = 0.5;
/** Pixels from a point at which a finger still means it. */
const FINGER = 24;

/**
 * @param {HTMLElement} element
 * @param {Scatter} data
 * @param {ScatterActions} actions
 * @returns {import("../../base/mount.js").View<Scatter>}
 */
export function scatterPlot(element, data, { onPoint, onPick, onSelect, describedBy }) {
  const frame = createPlotFrame({
    onZoom: zoom,
    onReset: () => show(null),
    onToggle: toggle,
    onSave: (format) => drawing.save(format, { title: shown.title, hasLegend: false }),
    onRetry: () => drawing.redraw(),
    onKey,
    onTap,
    onSelecting(way) {
      selecting = selecting === way ? null : way;
      frame.selectBy(selecting);
      drawing.redraw();
    },
  });
  const place = frame.frame;
  place.setAttribute("aria-describedby", describedBy);
  fill(element, frame.element);
  let shown = data;
  let size = { width: 0, height: 0 };
  /** @type {import("./scatter_layout.js").Extent | null} null: everything */
  let zoomedTo = null;
  /** @type {Selecting | null} */
  let selecting = null;
  /** @type {At | null} where the keyboard is */
  let at = null;
  /** Points that have names in the chart. @type {ReturnType<typeof scatterFigure>["names"]} */
  let names = new Map();
  let isHovered = false;
  /** Whether what is being selected is added to the selection. */
  let isAdding = false;
  /** @type {Set<string>} */
  const off = new Set();

  const drawing = createPlotDrawing(frame, {
    plain: async () => (await plain()).plainScatter,
    figure({ colors, width, font, hasPointer }) {
      fit(width);
      const dragmode = selecting ?? (hasPointer ? "zoom" : false);
      const { names: placed, ...figure } = scatterFigure(shown, {
        colors,
        off,
        extent: extent(),
        size,
        font,
        dragmode,
      });
      names = placed;
      return figure;
    },
    listen,
  });

  /** @param {import("./plot_drawing.js").Drawing} drawn */
  function listen(drawn) {
    const atOf = (/** @type {{curveNumber: number, pointNumber: number}} */ { curveNumber, pointNumber }) => {
      const id = shown.series[curveNumber]?.ids[pointNumber];
      return id === undefined ? [] : [{ series: curveNumber, id }];
    };
    const hover = (/** @type {At | null} */ point) => {
      isHovered = point !== null; // Plotly names the point
      onPoint(point);
    };
    drawn.on?.("plotly_hover", ({ points }) => hover(points.flatMap(atOf)[0] ?? null));
    drawn.on?.("plotly_unhover", () => isHovered && hover(null));
    drawn.on?.("plotly_click", ({ points, event }) => pick(points.flatMap(atOf)[0], event?.shiftKey));
    drawn.on?.("plotly_doubleclick", () => (selecting ? onSelect([]) : show(null)));
    drawn.on?.("plotly_selected", (found) => {
      if (!found?.range && !found?.lassoPoints) return; // the outline was taken away
      const more = found.points.flatMap(atOf);
      onSelect(isAdding ? united(shown.selected, more) : more);
      drawing.redraw(); // takes the outline away
    });
    drawn.on?.("plotly_relayout", (changed) => {
      const layout = drawn._fullLayout;
      if (!layout || !("xaxis.range[0]" in changed)) return;
      show(extentOf(layout.xaxis.range, layout.yaxis.range, size));
    });
  }

  /** @param {number} width  of the chart */
  function fit(width) {
    const within = sizeWithin(width, 0).width;
    size = { width: within, height: heightOf(allPoints(), within) };
    frame.setHeight(heightAround(size.height));
  }

  function allPoints() {
    return shown.series.flatMap(({ points }) => [...points]);
  }

  function extent() {
    return zoomedTo ?? wholeOf(allPoints(), size);
  }

  /** @param {import("./scatter_layout.js").Extent | null} next */
  function show(next) {
    zoomedTo = next;
    drawing.redraw();
  }

  /** @param {number} factor  below 1: closer */
  function zoom(factor) {
    const { middle, unit } = extent();
    const around = at && pairOf(shown, at);
    const [x, y] = around && isWithin(spotOf(around, extent(), size), size) ? around : middle;
    const towards = (/** @type {number} */ from, /** @type {number} */ to) => to + (from - to) * factor;
    show({ middle: [towards(middle[0], x), towards(middle[1], y)], unit: unit * factor });
  }

  /** @param {string} name */
  function toggle(name) {
    if (!off.delete(name)) off.add(name);
    if (at && off.has(shown.series[at.series].name)) at = null;
    tellFrame();
    drawing.redraw();
  }

  /** @param {At | undefined} point @param {boolean} [isSelecting] */
  function pick(point, isSelecting = false) {
    if (!point) return;
    at = point;
    if (isSelecting) onSelect(toggled(shown.selected, point));
    else onPick(point);
  }

  /** @param {At} next */
  function move(next) {
    at = next;
    const pair = pairOf(shown, next);
    if (pair && zoomedTo && !isWithin(spotOf(pair, zoomedTo, size), size)) show({ ...zoomedTo, middle: pair });
    onPoint(next);
  }

  /** @returns {At | null}  the chosen point, or the first that is shown */
  function start() {
    const isOn = (/** @type {At} */ one) => indexOf(shown, one) >= 0 && !off.has(shown.series[one.series].name);
    const firsts = shown.series.map(({ ids }, series) => ({ series, id: ids[0] })).reverse();
    return [at, ...shown.chosen, ...firsts].find((one) => one && isOn(one)) ?? null;
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const from = start();
    const escape = () => (shown.selected.length > 0 ? onSelect([]) : onPoint(null));
    const choose = () => pick(from ?? undefined, event.shiftKey);
    const acts = { "+": () => zoom(CLOSER), "-": () => zoom(1 / CLOSER), 0: () => show(null), Escape: escape };
    const act = { ...acts, Enter: choose, " ": choose }[/** @type {keyof typeof acts} */ (event.key)];
    const next = from && stepped(from, event.key);
    if (!act && !next) return;
    event.preventDefault();
    if (act) act();
    else if (next) move(next);
  }

  /** @param {At} from @param {string} key @returns {At | null} */
  function stepped(from, key) {
    const on = shown.series.map(({ name, ids }, index) => ({ ids, index, isOn: !off.has(name) && ids.length > 0 }));
    const there = on.filter(({ isOn }) => isOn);
    const next = nextPoint(there, { ...from, series: there.findIndex(({ index }) => index === from.series) }, key);
    return next && { ...next, series: there[next.series].index };
  }

  /** @param {{clientX: number, clientY: number}} tap */
  function onTap({ clientX, clientY }) {
    const { left, top } = place.querySelector(".nsewdrag")?.getBoundingClientRect() ?? place.getBoundingClientRect();
    const spots = shown.series.flatMap(({ name, ids, points }, series) =>
      off.has(name) ? [] : ids.map((id, index) => ({ ...spotOf(points[index], extent(), size), at: { series, id } })),
    );
    const found = nearest(spots, { x: clientX - left, y: clientY - top }, FINGER);
    if (!found) return;
    onPoint(found.at);
    pick(found.at);
  }

  place.addEventListener("pointerdown", (event) => (isAdding = event.shiftKey), { capture: true });
  place.addEventListener("focus", () => {
    const from = place.matches(":focus-visible") && start();
    if (from) move(from);
  });
  place.addEventListener("blur", () => onPoint(null));

  function point() {
    drawing.call((plotly, colors) =>
      plotly.relayout(drawing.place, overlayOf(shown, { colors, off, names: isHovered ? null : names })),
    );
  }

  function tellFrame() {
    frame.show({ ...shown, height: heightAround(size.height) }, off);
  }

  /** @param {Scatter} next */
  function update(next) {
    const isPointing = !differs(shown, next, ["pointed", "pointedLinks", "numbers"]);
    const isOther = next.of !== shown.of;
    shown = next;
    if (isPointing) return point();
    if (at && indexOf(next, at) < 0) at = null;
    if (isOther) zoomedTo = null;
    tellFrame();
    drawing.redraw();
  }

  fit(frame.frame.clientWidth || 1);
  tellFrame();
  drawing.redraw();
  return {
    update,
    destroy() {
      drawing.stop();
      element.replaceChildren();
    },
  };
}
