/** Curves over common axes, each with its name, colour and dash; a pointer or the arrow keys read the numbers off. */

import { el, fill, svg } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { axes, createWidth, readout, scaleOf } from "./axes.js";

/**
 * @typedef {object} Series
 * @property {string} name
 * @property {readonly (readonly [number, number])[]} points  by growing x
 * @property {boolean} [dashed]
 * @property {boolean} [dots]  a dot at every point, and no line
 * @property {number} [colour]  of the series colours 0…7; its place in the list unless given
 */

/**
 * @typedef {object} LinesMark
 * @property {string} title
 * @property {Series[]} series
 * @property {import("./axes.js").Axis} x
 * @property {import("./axes.js").Axis} y
 * @property {{x: number, name: string}[]} [verticals]  places worth a line, such as the trained length
 * @property {number} [height]  of the picture; its width is its place's
 */

const EDGE = { left: 48, right: 12, top: 26, bottom: 38 };

/**
 * @param {HTMLElement} element
 * @param {LinesMark} data
 * @param {{onRead?: (x: number) => void}} [options]  told the x that is read off
 * @returns {import("../api/types.js").View<LinesMark>}
 */
export function linesMark(element, data, { onRead } = {}) {
  const picture = svg("svg", { class: "mark lines-mark", role: "slider", tabindex: 0 });
  const ground = svg("g");
  const reading = svg("g", { class: "mark-reading" });
  const legend = el("p", { class: "mark-legend" });
  const names = el("div", { class: "mark-box" }, picture, legend);
  fill(picture, ground, reading);
  fill(element, names);
  /** @type {number | null} */
  let at = null;
  let shown = data;
  let width = 0;
  const measure = createWidth(element, () => draw(shown));
  /** @type {{x: import("./axes.js").Scale, y: import("./axes.js").Scale, places: number[], bottom: number} | null} */
  let drawn = null;
  picture.addEventListener("pointermove", onPointer);
  picture.addEventListener("pointerdown", onPointer);
  picture.addEventListener("keydown", onKey);

  /** @param {PointerEvent} event */
  function onPointer(event) {
    const box = picture.getBoundingClientRect();
    if (drawn && box.width > 0) readAt(drawn.x.value(((event.clientX - box.left) / box.width) * width));
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (by === undefined || !drawn || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const places = drawn.places;
    const far = event.shiftKey ? Math.max(1, Math.round(places.length / 10)) : 1;
    const index = at === null ? -1 : places.indexOf(nearest(places, at));
    readAt(places[Math.min(Math.max(index + by * far, 0), places.length - 1)]);
  }

  /** @param {number} wanted */
  function readAt(wanted) {
    if (!drawn || drawn.places.length === 0) return;
    at = nearest(drawn.places, wanted);
    drawReading();
    onRead?.(at);
  }

  /** @param {LinesMark} next */
  function draw(next) {
    shown = next;
    width = measure.now();
    const height = next.height ?? 240;
    const box = { left: EDGE.left, right: width - EDGE.right, top: EDGE.top, bottom: height - EDGE.bottom };
    const points = next.series.flatMap((one) => one.points);
    const x = scaleOf(
      next.x,
      points.map((one) => one[0]),
      box.left,
      box.right,
    );
    const y = scaleOf(
      next.y,
      points.map((one) => one[1]),
      box.bottom,
      box.top,
    );
    const places = [...new Set(points.map((one) => one[0]))].sort((one, other) => one - other);
    drawn = { x, y, places: places.filter((one) => one >= x.least && one <= x.most), bottom: box.bottom };
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.setAttribute("aria-label", next.title);
    fill(
      ground,
      ...axes(box, x, y, { x: next.x.name, y: next.y.name }),
      ...(next.verticals ?? []).flatMap((one) => vertical(one, x, box)),
      ...next.series.flatMap((one, index) => curve(one, index, x, y)),
    );
    fill(legend, ...next.series.map(legendOf));
    legend.hidden = next.series.length < 2;
    drawReading();
  }

  function drawReading() {
    if (!drawn) return;
    const { x, y, bottom, places } = drawn;
    const found = at === null || places.length === 0 ? null : nearest(places, at);
    picture.setAttribute("aria-valuemin", String(x.least));
    picture.setAttribute("aria-valuemax", String(x.most));
    picture.setAttribute("aria-valuenow", String(found ?? x.least));
    if (found === null) {
      picture.setAttribute("aria-valuetext", t("Read values off with the arrow keys"));
      fill(reading);
      return;
    }
    const hits = shown.series.flatMap((one, index) => {
      const hit = one.points.find((point) => point[0] === found);
      return hit && Number.isFinite(hit[1]) ? [{ name: one.name, index: one.colour ?? index, y: hit[1] }] : [];
    });
    const left = x.place(found);
    const said = hits.map((hit) => `${hit.name} ${readout(hit.y)}`);
    picture.setAttribute("aria-valuetext", `${shown.x.name ?? ""} ${readout(found)}: ${said.join(", ")}`.trim());
    const isRight = left > width * 0.55;
    fill(
      reading,
      svg("line", { class: "mark-hair", x1: left, x2: left, y1: EDGE.top, y2: bottom }),
      ...hits.map((hit) => svg("circle", { class: `series-${hit.index % 8}`, cx: left, cy: y.place(hit.y), r: 3.5 })),
      ...[readout(found), ...said].map((line, index) =>
        svg(
          "text",
          {
            class: `mark-said${isRight ? " is-end" : ""}`,
            x: left + (isRight ? -6 : 6),
            y: EDGE.top + 10 + index * 14,
          },
          line,
        ),
      ),
    );
  }

  draw(data);
  return {
    update: draw,
    destroy() {
      measure.destroy();
      element.replaceChildren();
    },
  };
}

/** @param {readonly number[]} places @param {number} wanted */
function nearest(places, wanted) {
  return places.reduce((best, one) => (Math.abs(one - wanted) < Math.abs(best - wanted) ? one : best), places[0]);
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
  const d = places.map(([px, py], at) => `${at === 0 ? "M" : "L"}${px.toFixed(2)} ${py.toFixed(2)}`).join("");
  return [svg("path", { class: `mark-line ${style}${dashed ? " is-dashed" : ""}`, d })];
}

/**
 * @param {{x: number, name: string}} at
 * @param {import("./axes.js").Scale} x
 * @param {import("./axes.js").Box} box
 */
function vertical({ x: value, name }, x, box) {
  if (value < x.least || value > x.most) return [];
  const left = x.place(value);
  const isRight = left > box.right * 0.7;
  return [
    svg("line", { class: "mark-vertical", x1: left, x2: left, y1: box.top, y2: box.bottom }),
    svg(
      "text",
      { class: `mark-vertical-name${isRight ? " is-end" : ""}`, x: left + (isRight ? -4 : 4), y: box.bottom - 6 },
      name,
    ),
  ];
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
