/**
 * A small matrix as a picture: a coloured cell for each number, the number in it, names of rows and columns around.
 * Rows are queries, columns are keys, unless the names say otherwise.
 */

import { fittedView } from "./axes.js";
import { svgMaths } from "../base/maths/maths_text.js";
import { legibleType } from "./legible_type.js";
import { cssColor, inkOn, mix } from "../base/theme/color.js";
import { fill, svg } from "../base/dom.js";
import { drawnView } from "../base/mount.js";
import { t } from "../base/i18n.js";
import { scaleStops } from "../base/theme/theme.js";
import { framed, inside, standing, steppedTo, tellCell } from "./cell_choice.js";
import { layoutOf, textOf } from "./matrix_layout.js";

/** @typedef {import("./matrix_layout.js").Layout} Layout */

/**
 * @typedef {object} MatrixMark
 * @property {string} title
 * @property {(number | string)[][]} values  "-Infinity" is −∞, as the API writes it
 * @property {string[]} [rows]  names; 0, 1, 2 … unless given
 * @property {string[]} [columns]
 * @property {"query" | "key" | "value" | ""} [rowRole]  in whose colour the names stand
 * @property {"query" | "key" | "value" | ""} [columnRole]
 * @property {"weight" | "signed" | "plain"} [scale]  0…most, −most…most, or no colour
 * @property {number} [most]  at the end of the scale; 1 for weights, the largest size for signed numbers
 * @property {number} [digits]  2 unless given
 * @property {boolean} [hasMaths]  in names, such as `b_q·k`
 * @property {string} [axes]  which axis is which, such as "query ↓ key →"
 * @property {number} [later]  the first of the rows that a later step makes, which recede
 * @property {{row: number, column: number} | null} [chosen]  a column of −1 is the whole row, a row of −1 the column
 */

/**
 * @typedef {object} MatrixOptions
 * @property {(at: {row: number, column: number}) => void} [onPick]  makes the cells choosable, with the keyboard too
 * @property {number} [mostHeight]  so high its rows may grow together, in pixels
 * @property {boolean} [isFitted]  its cells share the width of its place; otherwise they are as wide as their numbers
 */

/** Digits of the chosen cell's number, where it stands below the matrix. */
const READ_DIGITS = 4;
/** Widths of a place, in pixels. */
const ROOM = { least: 0, most: 1200 };

/**
 * @param {HTMLElement} element
 * @param {MatrixMark} data
 * @param {MatrixOptions} [options]
 * @returns {import("../base/mount.js").View<MatrixMark>}
 */
export function matrixMark(element, data, { onPick, mostHeight, isFitted = true } = {}) {
  const picture = svg("svg", { class: "mark matrix-mark", role: "img" });
  const ring = svg("g", { class: "mark-keyboard" });
  fill(element, legibleType(picture));
  let current = data.chosen ?? { row: 0, column: 0 };
  let shown = data;
  let layout = layoutOf(data);
  if (onPick) {
    picture.setAttribute("role", "slider");
    picture.setAttribute("tabindex", "0");
    picture.addEventListener("keydown", onKey);
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const next = steppedTo(event, current, shown.values);
    if (!next) return;
    event.preventDefault();
    current = next;
    placeRing();
    onPick?.(current);
  }

  /** Around the keyboard's cell, seen while the matrix has the focus. */
  function placeRing() {
    const { left, top, wide, high, texts } = layout;
    const { row, column } = inside(current, texts);
    ring.setAttribute("transform", `translate(${left + column * wide} ${top + row * high})`);
    fill(ring, ...framed("mark-ring", { x: 0, y: 0, width: wide, height: high }));
  }

  /** @param {MatrixMark} next @param {number} [room] */
  function draw(next, room) {
    current = standing(current, shown.chosen, next.chosen);
    shown = next;
    layout = layoutOf(next, room, mostHeight);
    const { width, height } = layout;
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.setAttribute("width", String(width));
    picture.setAttribute("height", String(height));
    picture.classList.toggle("is-roomy", layout.isRoomy);
    picture.classList.toggle("is-tight", layout.isTight);
    picture.setAttribute("aria-label", onPick ? next.title : described(next, layout));
    if (onPick) tellChosen(picture, current, layout);
    fill(picture, ...partsOf(next, layout, onPick), onPick ? ring : null);
    if (onPick) placeRing();
  }

  return isFitted ? fittedView(element, data, draw, ROOM) : drawnView(element, data, draw);
}

/** @param {Element} picture @param {{row: number, column: number}} current @param {Layout} layout */
function tellChosen(picture, current, { rows, columns, texts }) {
  const at = inside(current, texts);
  tellCell(picture, at, texts, `${rows[at.row]}, ${columns[at.column]}: ${texts[at.row][at.column]}`);
  picture.setAttribute("aria-roledescription", t("matrix"));
}

/**
 * @param {MatrixMark} data
 * @param {Layout} layout
 * @param {MatrixOptions["onPick"]} onPick
 */
function partsOf(data, layout, onPick) {
  const { left, top, high, every } = layout;
  const written = (/** @type {string} */ name, /** @type {string | undefined} */ own) =>
    data.hasMaths && own !== undefined ? svgMaths(own) : [name];
  return [
    svg("text", { class: "mark-axes", x: left, y: 11 }, data.axes ?? ""),
    ...layout.columns.map((name, index) =>
      index % every === 0 ? columnName(written(name, data.columns?.[index]), index, data, layout) : null,
    ),
    ...layout.rows.map((name, index) =>
      svg(
        "text",
        { class: `mark-row is-${data.rowRole ?? ""}`, x: left - 6, y: top + (index + 0.5) * high },
        ...written(name, data.rows?.[index]),
      ),
    ),
    ...cellsOf(data, layout, onPick),
    ...chosenOf(data, layout),
    readoutOf(data, layout),
  ];
}

/**
 * A column's name above it; slanted where it is wider than its column.
 * @param {(string | SVGElement)[]} name
 * @param {number} index
 * @param {MatrixMark} data
 * @param {Layout} layout
 */
function columnName(name, index, { columnRole = "" }, { left, top, wide, isSlanted }) {
  const [x, y] = [left + (index + 0.5) * wide, top - 6];
  const kind = `mark-column is-${columnRole}`;
  return isSlanted
    ? svg("text", { class: `${kind} is-slanted`, transform: `translate(${x} ${y}) rotate(-45)` }, ...name)
    : svg("text", { class: kind, x, y }, ...name);
}

/**
 * @param {MatrixMark} data
 * @param {Layout} layout
 * @param {MatrixOptions["onPick"]} onPick
 */
function cellsOf(
  { values, scale = "plain", most, later = values.length },
  { left, top, wide, high, hasNumbers, texts, rows, columns },
  onPick,
) {
  const stops = scale === "plain" ? null : scaleStops(scale);
  const finite = values.flat().map(Number).filter(Number.isFinite);
  const end = most ?? (scale === "weight" ? 1 : Math.max(...finite.map(Math.abs), 1e-12));
  const colour = (/** @type {number} */ value) =>
    stops && mix(stops, scale === "weight" ? value / end : 0.5 + value / (2 * end));
  return values.flatMap((row, index) =>
    row.map((cell, column) => {
      const value = Number(cell);
      const ground = Number.isFinite(value) ? colour(value) : null;
      const x = left + column * wide;
      const y = top + index * high;
      const kind = ground ? `has-${inkOn(ground)}-ink` : Number.isFinite(value) ? "" : "is-masked";
      const place = { x: x + 0.5, y: y + 0.5, width: wide - 1, height: high - 1 };
      return svg(
        "g",
        {
          class: `mark-cell ${kind}${index >= later ? " is-later" : ""}`,
          onclick: onPick ? () => onPick({ row: index, column }) : null,
        },
        svg("rect", { ...place, ...(ground ? { fill: cssColor(ground) } : {}) }),
        hasNumbers ? svg("text", { x: x + wide / 2, y: y + high / 2 }, texts[index][column]) : null,
        svg("title", {}, `${rows[index]}, ${columns[column]}: ${texts[index][column]}`),
      );
    }),
  );
}

/**
 * @param {MatrixMark} data
 * @param {Layout} layout
 */
function chosenOf({ chosen, values }, { left, top, wide, high }) {
  if (!chosen || chosen.row >= values.length || chosen.column >= values[0].length) return [];
  const { row, column } = chosen;
  const x = left + Math.max(column, 0) * wide;
  const y = top + Math.max(row, 0) * high;
  const width = column < 0 ? values[0].length * wide : wide;
  const height = row < 0 ? values.length * high : high;
  return framed("mark-chosen", { x, y, width, height });
}

/**
 * The chosen cell's number, where cells are too narrow for numbers.
 * @param {MatrixMark} data
 * @param {Layout} layout
 */
function readoutOf({ chosen, values, digits = 2, rowRole, columnRole }, { left, below, rows, columns }) {
  const value = chosen && values[chosen.row]?.[chosen.column];
  if (below === 0 || !chosen || value === undefined || value === null) return null;
  const said = textOf(value, Math.max(digits, READ_DIGITS));
  const between = rowRole === "query" && columnRole === "key" ? " → " : ", ";
  return svg(
    "text",
    { class: "mark-read", x: left, y: below },
    `${rows[chosen.row]}${between}${columns[chosen.column]}: `,
    svg("tspan", {}, said),
  );
}

/**
 * The whole matrix in words, for screen readers.
 * @param {MatrixMark} data
 * @param {Layout} layout
 */
function described({ title }, { rows, texts }) {
  const most = 12;
  const lines = texts.slice(0, most).map((row, index) => `${rows[index]}: ${row.slice(0, most).join(", ")}`);
  return `${title}. ${lines.join("; ")}`;
}
