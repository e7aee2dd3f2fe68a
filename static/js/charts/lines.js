/** Curves over common axes, each with its name, colour and dash; a pointer or the arrow keys read the numbers off. */

import { el, fill, svg } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { axes, fittedView, readout, scaleOf } from "./axes.js";

/**
 * @typedef {object} Series
 * @property {string} name
 * @property {readonly (readonly [number, number])[]} points  by growing x
 * @property {boolean} [dashed]
 * @property {boolean} [strong]  drawn thicker, above the others
 * @property {boolean} [dots]  a dot at every point, and no line
 * @property {number} [colour]  of the series colours 0…7; its place in the list unless given
 */

/**
 * @typedef {object} LinesMark
 * @property {string} title
 * @property {Series[]} series
 * @property {import("./axes.js").Axis} x
 * @property {import("./axes.js").Axis} y
 * @property {{x: number, name: string}[]} [verticals]  labelled vertical lines, such as the trained length
 * @property {number | null} [height]  of the picture; its width is its place's; null for a plot as high as its place
 */

const HEIGHT = 240;
const EDGE = { left: 48, right: 12, top: 26, bottom: 38 };
/** Width of a letter, and height of a line of type, in pixels. */
const [PER_SIGN, LINE] = [8, 14];

/**
 * A line's points.
 * @param {readonly number[]} xs
 * @param {readonly number[]} ys
 * @returns {[number, number][]}
 */
export function pointsOf(xs, ys) {
  return xs.map((x, index) => [x, ys[index]]);
}

/**
 * @param {HTMLElement} element
 * @param {LinesMark} data
 * @param {{onRead?: (x: number) => void}} [options]  called with the x of the readout
 * @returns {import("../base/mount.js").View<LinesMark>}
 */
export function linesMark(element, data, { onRead } = {}) {
  const picture = svg("svg", { class: "mark lines-mark", role: "slider", tabindex: 0 });
  const ground = svg("g");
  const reading = svg("g", { class: "mark-reading" });
  const legend = el("p", { class: "mark-legend" });
  fill(picture, ground, reading);
  fill(element, el("div", { class: "mark-box" }, picture, legend));
  let shown = data;
  let layout = layoutOf(data, element.clientWidth);
  /** @type {number | null} */
  let current = null;
  picture.addEventListener("pointermove", onPointer);
  picture.addEventListener("pointerdown", onPointer);
  picture.addEventListener("keydown", (event) => {
    const next = stepOf(event, layout.places, current);
    if (next === null) return;
    event.preventDefault();
    readAt(next);
  });

  /** @param {PointerEvent} event */
  function onPointer(event) {
    const box = picture.getBoundingClientRect();
    if (box.width > 0) readAt(layout.x.value(((event.clientX - box.left) / box.width) * layout.width));
  }

  /** @param {number} wanted */
  function readAt(wanted) {
    if (layout.places.length === 0) return;
    current = nearest(layout.places, wanted);
    drawReading();
    onRead?.(current);
  }

  /** @param {LinesMark} next @param {number} width */
  function draw(next, width) {
    shown = next;
    layout = layoutOf(next, width);
    picture.setAttribute("viewBox", `0 0 ${layout.width} ${layout.height}`);
    picture.setAttribute("aria-label", next.title);
    fill(ground, ...groundOf(next, layout));
    fill(legend, ...next.series.map(legendOf));
    legend.hidden = next.series.length < 2;
    drawReading();
  }

  function drawReading() {
    const { x, places } = layout;
    const hairX = current === null || places.length === 0 ? null : nearest(places, current);
    const hits = hairX === null ? [] : hitsAt(shown.series, hairX);
    const said = hits.map((hit) => `${hit.name} ${readout(hit.y)}`);
    const value = hairX === null ? "" : `${shown.x.name ?? ""} ${readout(hairX)}: ${said.join(", ")}`.trim();
    tellValue(picture, { least: x.least, most: x.most, now: hairX, value });
    fill(reading, ...(hairX === null ? [] : readingOf(hairX, hits, said, layout)));
  }

  return fittedView(element, data, draw);
}

/** @param {SVGElement} picture @param {{least: number, most: number, now: number | null, value: string}} slider */
function tellValue(picture, { least, most, now, value }) {
  picture.setAttribute("aria-valuemin", String(least));
  picture.setAttribute("aria-valuemax", String(most));
  picture.setAttribute("aria-valuenow", String(now ?? least));
  picture.setAttribute("aria-valuetext", value || t("Read values with the arrow keys"));
}

/** @typedef {ReturnType<typeof layoutOf>} Layout */

/**
 * @param {LinesMark} data
 * @param {number} width
 */
function layoutOf({ series, x: across, y: up, height: fixedHeight }, width) {
  const height = fixedHeight ?? HEIGHT;
  const box = { left: EDGE.left, right: width - EDGE.right, top: EDGE.top, bottom: height - EDGE.bottom };
  const points = series.flatMap((line) => line.points);
  const [xs, ys] = [points.map((point) => point[0]), points.map((point) => point[1])];
  const x = scaleOf(across, xs, box.left, box.right);
  const y = scaleOf(up, ys, box.bottom, box.top);
  const places = [...new Set(xs)].filter((value) => value >= x.least && value <= x.most).sort((a, b) => a - b);
  return { width, height, box, x, y, places };
}

/**
 * Axes, vertical lines, and the curves.
 * @param {LinesMark} data
 * @param {Layout} layout
 */
function groundOf({ series, verticals = [], x: across, y: up }, { box, x, y }) {
  return [
    ...axes(box, x, y, { x: across.name, y: up.name }),
    ...verticals.flatMap((vertical) => verticalLine(vertical, x, box)),
    ...series.flatMap((line, index) => curve(line, index, x, y)),
    ...verticals.flatMap((vertical) => verticalName(vertical, series, { box, x, y })),
  ];
}

/**
 * The curves' points at an x.
 * @param {Series[]} series
 * @param {number} x
 */
function hitsAt(series, x) {
  return series.flatMap(({ name, points, colour }, index) => {
    const hit = points.find((point) => point[0] === x);
    return hit && Number.isFinite(hit[1]) ? [{ name, index: colour ?? index, y: hit[1] }] : [];
  });
}

/**
 * A crosshair over the curves with their values.
 * @param {number} reading
 * @param {ReturnType<typeof hitsAt>} hits
 * @param {string[]} said
 * @param {Layout} layout
 */
function readingOf(reading, hits, said, { width, box, x, y }) {
  const left = x.place(reading);
  const isRight = left > width * 0.55;
  const text = { class: `mark-said${isRight ? " is-end" : ""}`, x: left + (isRight ? -6 : 6) };
  return [
    svg("line", { class: "mark-hair", x1: left, x2: left, y1: box.top, y2: box.bottom }),
    ...hits.map((hit) => svg("circle", { class: `series-${hit.index % 8}`, cx: left, cy: y.place(hit.y), r: 3.5 })),
    ...[readout(reading), ...said].map((line, index) => svg("text", { ...text, y: box.top + 10 + index * 14 }, line)),
  ];
}

/**
 * The position that an arrow key moves to, with Shift by a tenth of all.
 * @param {KeyboardEvent} event
 * @param {number[]} places
 * @param {number | null} current
 * @returns {number | null}  null for other keys
 */
function stepOf({ key, shiftKey, altKey, ctrlKey, metaKey }, places, current) {
  const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[key];
  if (by === undefined || altKey || ctrlKey || metaKey || places.length === 0) return null;
  const far = shiftKey ? Math.max(1, Math.round(places.length / 10)) : 1;
  const index = current === null ? -1 : places.indexOf(nearest(places, current));
  return places[Math.min(Math.max(index + by * far, 0), places.length - 1)];
}

/** @param {readonly number[]} places @param {number} wanted */
function nearest(places, wanted) {
  return places.reduce((best, place) => (Math.abs(place - wanted) < Math.abs(best - wanted) ? place : best), places[0]);
}

/**
 * @param {Series} series
 * @param {number} index
 * @param {import("./axes.js").Scale} x
 * @param {import("./axes.js").Scale} y
 */
function curve({ points, dashed, dots, colour }, index, x, y) {
  const seen = points.filter((point) => point.every(Number.isFinite) && point[0] >= x.least && point[0] <= x.most);
  const places = seen.map(([px, py]) => [x.place(px), y.place(Math.min(Math.max(py, y.least), y.most))]);
  const style = `series-${(colour ?? index) % 8}`;
  if (dots) return places.map(([cx, cy]) => svg("circle", { class: `mark-dot ${style}`, cx, cy, r: 2.5 }));
  const d = places.map(([px, py], index) => `${index === 0 ? "M" : "L"}${px.toFixed(2)} ${py.toFixed(2)}`).join("");
  return [svg("path", { class: `mark-line ${style}${dashed ? " is-dashed" : ""}`, d })];
}

/**
 * @param {{x: number}} at
 * @param {import("./axes.js").Scale} x
 * @param {import("./axes.js").Box} box
 */
function verticalLine({ x: value }, x, box) {
  if (value < x.least || value > x.most) return [];
  const left = x.place(value);
  return [svg("line", { class: "mark-vertical", x1: left, x2: left, y1: box.top, y2: box.bottom })];
}

/**
 * The name of a vertical line, at whichever end fewer points of the curves are behind it.
 * @param {{x: number, name: string}} at
 * @param {Series[]} series
 * @param {{box: import("./axes.js").Box, x: import("./axes.js").Scale, y: import("./axes.js").Scale}} layout
 */
function verticalName({ x: value, name }, series, { box, x, y }) {
  if (value < x.least || value > x.most) return [];
  const left = x.place(value);
  const isRight = left > box.right * 0.7;
  const width = PER_SIGN * name.length;
  const [from, to] = isRight ? [left - width, left] : [left, left + width];
  const points = series.flatMap((line) => line.points.map(([px, py]) => [x.place(px), y.place(py)]));
  const near = points.filter(([px]) => px >= from && px <= to).map(([, py]) => py);
  const [low, high] = [box.bottom - 6, box.top + 10];
  const crowd = (/** @type {number} */ line) => near.filter((py) => py > line - LINE && py < line + LINE / 2).length;
  const kind = `mark-vertical-name${isRight ? " is-end" : ""}`;
  return [svg("text", { class: kind, x: left + (isRight ? -4 : 4), y: crowd(low) > crowd(high) ? high : low }, name)];
}

/** @param {Series} series @param {number} index */
function legendOf({ name, dashed, dots, colour }, index) {
  const style = `series-${(colour ?? index) % 8}`;
  const sample = dots
    ? svg("circle", { class: `mark-dot ${style}`, cx: 11, cy: 5, r: 3 })
    : svg("path", { class: `mark-line ${style}${dashed ? " is-dashed" : ""}`, d: "M0 5H22" });
  const key = svg(
    "svg",
    { class: "mark-key", viewBox: "0 0 22 10", width: 22, height: 10, "aria-hidden": "true" },
    sample,
  );
  return el("span", { class: "mark-entry" }, key, name);
}
