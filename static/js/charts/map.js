/** A large matrix as colours without numbers, with one cell chosen. */

import { legibleType } from "./legible_type.js";
import { cssColor, mix } from "../base/theme/color.js";
import { fill, svg } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { fixed } from "../base/numbers.js";
import { scaleStops } from "../base/theme/theme.js";
import { short, ticks } from "./axes.js";
import { inside, standing, steppedTo } from "./cell_choice.js";
import { drawnView } from "../base/mount.js";

/**
 * @typedef {object} MapMark
 * @property {string} title
 * @property {readonly (readonly number[])[]} values  signed
 * @property {string} rowName  such as "position"
 * @property {string} columnName
 * @property {string} axes  which axis is which
 * @property {number} [most]  at the ends of the scale; the largest size unless given
 * @property {{row: number, column: number}} chosen
 */

const EDGE = { left: 38, right: 4, top: 34, bottom: 4 };
const WIDE = 480;
const [LOWEST, HIGHEST] = [3, 12];
/** Number of colours; neighbours of one colour in a row are one shape. */
const LEVELS = 65;

/**
 * @param {HTMLElement} element
 * @param {MapMark} data
 * @param {{onPick: (at: {row: number, column: number}) => void}} options
 * @returns {import("../base/mount.js").View<MapMark>}
 */
export function mapMark(element, data, { onPick }) {
  const picture = svg("svg", { class: "mark map-mark", role: "slider", tabindex: 0 });
  const ground = svg("g", { class: "map-ground" });
  const over = svg("g", { class: "map-over" });
  fill(picture, ground, over);
  fill(element, legibleType(picture));
  let shown = data;
  let current = data.chosen;
  /** @type {readonly (readonly number[])[] | null} */
  let painted = null;
  let theme = "";
  picture.addEventListener("pointerdown", onPointer);
  picture.addEventListener("pointermove", (event) => {
    if (event.buttons === 1) onPointer(event);
  });
  picture.addEventListener("keydown", onKey);

  /** @param {PointerEvent} event */
  function onPointer(event) {
    const box = picture.getBoundingClientRect();
    const { width, wide, high } = sizesOf(shown);
    const scale = width / box.width;
    const column = Math.floor(((event.clientX - box.left) * scale - EDGE.left) / wide);
    const row = Math.floor(((event.clientY - box.top) * scale - EDGE.top) / high);
    if (row >= 0 && column >= 0) pick({ row, column });
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const next = steppedTo(event, current, shown.values);
    if (!next) return;
    event.preventDefault();
    pick(next);
  }

  /** @param {{row: number, column: number}} cell */
  function pick(cell) {
    current = inside(cell, shown.values);
    onPick(current);
  }

  /** @param {MapMark} next */
  function draw(next) {
    current = standing(current, shown.chosen, next.chosen);
    shown = next;
    const sizes = sizesOf(next);
    const now = document.documentElement.dataset.theme ?? "";
    for (const [name, value] of Object.entries(describe(next))) picture.setAttribute(name, String(value));
    picture.setAttribute("viewBox", `0 0 ${sizes.width} ${sizes.height}`);
    if (painted !== next.values || theme !== now) fill(ground, ...paint(next, sizes.wide, sizes.high));
    [painted, theme] = [next.values, now];
    fill(over, ...frames(next, sizes));
  }

  return drawnView(element, data, draw);
}

/**
 * A slider over all cells, for screen readers.
 * @param {MapMark} data
 */
function describe({ title, rowName, columnName, values, chosen: { row, column } }) {
  const columns = values[0].length;
  return {
    "aria-label": title,
    "aria-valuemin": 0,
    "aria-valuemax": values.length * columns - 1,
    "aria-valuenow": row * columns + column,
    "aria-valuetext": `${rowName} ${row}, ${columnName} ${column}: ${fixed(values[row][column], 4)}`,
    "aria-roledescription": t("matrix"),
  };
}

/**
 * Numbers along the sides, and the frames around the chosen row, column and cell.
 * @param {MapMark} data
 * @param {ReturnType<typeof sizesOf>} sizes
 */
function frames({ axes, values, chosen }, { wide, high }) {
  const [rows, columns] = [values.length, values[0].length];
  const [x, y] = [EDGE.left + chosen.column * wide, EDGE.top + chosen.row * high];
  return [
    svg("text", { class: "mark-axes", x: EDGE.left, y: 11 }, axes),
    ...ticks(0, rows - 1, 6).map((tick) =>
      svg("text", { class: "mark-tick is-y", x: EDGE.left - 5, y: EDGE.top + (tick + 0.5) * high }, short(tick)),
    ),
    ...ticks(0, columns - 1, 8).map((tick) =>
      svg("text", { class: "mark-tick is-x", x: EDGE.left + (tick + 0.5) * wide, y: EDGE.top - 6 }, short(tick)),
    ),
    svg("rect", { class: "map-band", x: EDGE.left, y, width: columns * wide, height: high }),
    svg("rect", { class: "map-band", x, y: EDGE.top, width: wide, height: rows * high }),
    svg("rect", { class: "mark-halo", x: x - 1, y: y - 1, width: wide + 2, height: high + 2 }),
    svg("rect", { class: "map-chosen", x: x - 1, y: y - 1, width: wide + 2, height: high + 2 }),
  ];
}

/** @param {MapMark} data */
function sizesOf({ values }) {
  const wide = WIDE / values[0].length;
  const high = Math.min(Math.max(wide, LOWEST), HIGHEST);
  return {
    wide,
    high,
    width: EDGE.left + WIDE + EDGE.right,
    height: EDGE.top + high * values.length + EDGE.bottom,
  };
}

/**
 * One path for each colour.
 * @param {MapMark} data
 * @param {number} wide
 * @param {number} high
 */
function paint({ values, most }, wide, high) {
  const end = most ?? Math.max(...values.flat().map(Math.abs), 1e-12);
  const level = (/** @type {number} */ value) =>
    Math.round(Math.min(Math.max(0.5 + value / (2 * end), 0), 1) * (LEVELS - 1));
  const shapes = Array.from({ length: LEVELS }, () => /** @type {string[]} */ ([]));
  const rounded = (/** @type {number} */ place) => Number(place.toFixed(2));
  values.forEach((row, index) => {
    const y = rounded(EDGE.top + index * high);
    let from = 0;
    row.forEach((value, column) => {
      if (column + 1 < row.length && level(row[column + 1]) === level(value)) return;
      const [x, far] = [rounded(EDGE.left + from * wide), rounded(EDGE.left + (column + 1) * wide)];
      shapes[level(value)].push(`M${x} ${y}H${far}V${rounded(y + high)}H${x}Z`);
      from = column + 1;
    });
  });
  const stops = scaleStops("signed");
  return shapes.flatMap((parts, index) =>
    parts.length === 0 ? [] : [svg("path", { d: parts.join(""), fill: cssColor(mix(stops, index / (LEVELS - 1))) })],
  );
}
