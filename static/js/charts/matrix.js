/**
 * A small matrix as a picture: a coloured cell for each number, the number in it, names of rows and columns around.
 * Rows are queries, columns are keys, unless the names say otherwise.
 */

import { plainMaths, svgMaths } from "../base/maths_text.js";
import { cssColor, inkOn, mix } from "../base/color.js";
import { fill, svg } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { fixed, small } from "../base/numbers.js";
import { scaleStops } from "../base/theme.js";
import { inside, standing, steppedTo } from "./cell_choice.js";

/**
 * @typedef {object} MatrixMark
 * @property {string} title
 * @property {(number | string)[][]} values  "-Infinity" is −∞, as the API writes it
 * @property {string[]} [rows]  names; 0, 1, 2 … unless given
 * @property {string[]} [columns]
 * @property {boolean} [hasMaths]  in names, such as `b_q·k`
 * @property {"query" | "key" | "value" | ""} [rowRole]  in whose colour the names stand
 * @property {"query" | "key" | "value" | ""} [columnRole]
 * @property {"weight" | "signed" | "plain"} [scale]  0…most, −most…most, or no colour
 * @property {number} [most]  at the end of the scale; 1 for weights, the largest size for signed numbers
 * @property {number} [digits]  2 unless given
 * @property {number} [size]  times as large as usual
 * @property {string} [axes]  which axis is which, such as "query ↓ key →"
 * @property {{row: number, column: number} | null} [chosen]  a column of −1 is the whole row, a row of −1 the column
 */

/**
 * @typedef {object} MatrixOptions
 * @property {(at: {row: number, column: number}) => void} [onPick]  makes the cells choosable, with the keyboard too
 */

const HEIGHT = 26;
const NARROW = 22;
const PER_SIGN = 6.6;
/** With more cells than this in a row they are too narrow for numbers. */
const MOST_NUMBERS = 24;

/**
 * @param {HTMLElement} element
 * @param {MatrixMark} data
 * @param {MatrixOptions} [options]
 * @returns {import("../base/mount.js").View<MatrixMark>}
 */
export function matrixMark(element, data, { onPick } = {}) {
  const picture = svg("svg", { class: "mark matrix-mark", role: "img" });
  const ring = svg("g", { class: "mark-keyboard" });
  fill(element, picture);
  let at = data.chosen ?? { row: 0, column: 0 };
  let shown = data;
  if (onPick) {
    picture.setAttribute("role", "slider");
    picture.setAttribute("tabindex", "0");
    picture.addEventListener("keydown", onKey);
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const next = steppedTo(event, at, shown.values);
    if (!next) return;
    event.preventDefault();
    at = next;
    placeRing();
    onPick?.(at);
  }

  /** Around the keyboard's cell, seen while the matrix has the focus. */
  function placeRing() {
    const { left, top, wide, texts } = layoutOf(shown);
    const { row, column } = inside(at, texts);
    ring.setAttribute("transform", `translate(${left + column * wide} ${top + row * HEIGHT})`);
    fill(ring, ...framed("mark-ring", { x: 0, y: 0, width: wide, height: HEIGHT }));
  }

  /** @param {MatrixMark} next */
  function draw(next) {
    at = standing(at, shown.chosen, next.chosen);
    shown = next;
    const layout = layoutOf(next);
    const { left, top, wide, width, height } = layout;
    const written = (/** @type {string} */ name, /** @type {string | undefined} */ own) =>
      next.hasMaths && own !== undefined ? svgMaths(own) : [name];
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.setAttribute("width", String(width * (next.size ?? 1)));
    picture.setAttribute("height", String(height * (next.size ?? 1)));
    picture.setAttribute("aria-label", onPick ? next.title : described(next, layout));
    if (onPick) tellCell(layout);
    fill(
      picture,
      svg("text", { class: "mark-axes", x: left, y: 11 }, next.axes ?? ""),
      ...layout.columns.map((name, index) =>
        index % layout.every === 0
          ? svg(
              "text",
              { class: `mark-column is-${next.columnRole ?? ""}`, x: left + (index + 0.5) * wide, y: top - 6 },
              ...written(name, next.columns?.[index]),
            )
          : null,
      ),
      ...layout.rows.map((name, index) =>
        svg(
          "text",
          { class: `mark-row is-${next.rowRole ?? ""}`, x: left - 6, y: top + (index + 0.5) * HEIGHT },
          ...written(name, next.rows?.[index]),
        ),
      ),
      ...cellsOf(next, layout, onPick),
      ...chosenOf(next, layout),
      onPick ? ring : null,
    );
    if (onPick) placeRing();
  }

  /**
   * The cell chosen by keyboard, announced as a slider's value.
   * @param {Layout} layout
   */
  function tellCell({ rows, columns, texts }) {
    const { row, column } = inside(at, texts);
    const count = rows.length * columns.length;
    picture.setAttribute("aria-valuemin", "0");
    picture.setAttribute("aria-valuemax", String(count - 1));
    picture.setAttribute("aria-valuenow", String(row * columns.length + column));
    picture.setAttribute("aria-valuetext", `${rows[row]}, ${columns[column]}: ${texts[row][column]}`);
    picture.setAttribute("aria-roledescription", t("matrix"));
  }

  draw(data);
  return {
    update: draw,
    destroy() {
      element.replaceChildren();
    },
  };
}

/**
 * @typedef {{rows: string[], columns: string[], texts: string[][], left: number, top: number, wide: number,
 *   every: number, width: number, height: number}} Layout
 */

/**
 * @param {MatrixMark} data
 * @returns {Layout}
 */
function layoutOf({ values, rows, columns, digits = 2, axes, hasMaths }) {
  const counted = (/** @type {unknown[]} */ list) => list.map((_, index) => String(index));
  const plain = (/** @type {string[]} */ names) => (hasMaths ? names.map(plainMaths) : names);
  const [rowNames, columnNames] = [plain(rows ?? counted(values)), plain(columns ?? counted(values[0]))];
  const texts = values.map((row) => row.map((value) => textOf(value, digits)));
  const signs = values[0].length > MOST_NUMBERS ? 0 : Math.max(...texts.flat().map((one) => one.length));
  const names = Math.max(...columnNames.map(lengthOf));
  const wide =
    signs === 0 ? Math.min(NARROW, 480 / values[0].length) : Math.max(NARROW, 10 + PER_SIGN * Math.max(signs, names));
  const left = 12 + PER_SIGN * Math.max(...rowNames.map(lengthOf));
  const top = (axes ? 16 : 2) + 18;
  const width = left + wide * values[0].length + 2;
  return {
    rows: rowNames,
    columns: columnNames,
    texts,
    left,
    top,
    wide,
    // If cells are narrow, only every second, fifth … column is labelled, so that labels do not overlap.
    every: stepFor((PER_SIGN * (names + 1)) / wide),
    width: Math.max(width, left + PER_SIGN * lengthOf(axes ?? "")),
    height: top + HEIGHT * values.length + 2,
  };
}

/** @param {number} needed @returns {number}  1, 2, 5, 10, 20 … */
function stepFor(needed) {
  const ten = 10 ** Math.floor(Math.log10(Math.max(needed, 1)));
  return [1, 2, 5, 10].map((one) => one * ten).find((one) => one >= needed) ?? 10 * ten;
}

/** Width in letters; Japanese letters count twice. @param {string} text */
function lengthOf(text) {
  return [...text].reduce((sum, sign) => sum + ((sign.codePointAt(0) ?? 0) > 0x2e80 ? 1.9 : 1), 0);
}

/**
 * Thousands without decimals, numbers too large for a cell as a power of ten.
 * @param {number | string} cell
 * @param {number} digits
 */
function textOf(cell, digits) {
  const value = Number(cell);
  if (Number.isFinite(value) && Math.abs(value) >= 1e6) return small(value);
  return fixed(value, Number.isInteger(value) && Math.abs(value) >= 1000 ? 0 : digits);
}

/**
 * @param {MatrixMark} data
 * @param {Layout} layout
 * @param {MatrixOptions["onPick"]} onPick
 */
function cellsOf({ values, scale = "plain", most }, { left, top, wide, texts, rows, columns }, onPick) {
  const stops = scale === "plain" ? null : scaleStops(scale);
  const finite = values.flat().map(Number).filter(Number.isFinite);
  const end = most ?? (scale === "weight" ? 1 : Math.max(...finite.map(Math.abs), 1e-12));
  const colour = (/** @type {number} */ value) =>
    stops && mix(stops, scale === "weight" ? value / end : 0.5 + value / (2 * end));
  return values.flatMap((row, index) =>
    row.map((cell, at) => {
      const value = Number(cell);
      const ground = Number.isFinite(value) ? colour(value) : null;
      const x = left + at * wide;
      const y = top + index * HEIGHT;
      const kind = ground ? `has-${inkOn(ground)}-ink` : Number.isFinite(value) ? "" : "is-masked";
      const place = { x: x + 0.5, y: y + 0.5, width: wide - 1, height: HEIGHT - 1 };
      return svg(
        "g",
        { class: `mark-cell ${kind}`, onclick: onPick ? () => onPick({ row: index, column: at }) : null },
        svg("rect", { ...place, ...(ground ? { fill: cssColor(ground) } : {}) }),
        wide >= NARROW && values[0].length <= MOST_NUMBERS
          ? svg("text", { x: x + wide / 2, y: y + HEIGHT / 2 }, texts[index][at])
          : null,
        svg("title", {}, `${rows[index]}, ${columns[at]}: ${texts[index][at]}`),
      );
    }),
  );
}

/**
 * @param {MatrixMark} data
 * @param {Layout} layout
 */
function chosenOf({ chosen, values }, { left, top, wide }) {
  if (!chosen || chosen.row >= values.length || chosen.column >= values[0].length) return [];
  const { row, column } = chosen;
  const x = left + Math.max(column, 0) * wide;
  const y = top + Math.max(row, 0) * HEIGHT;
  const width = column < 0 ? values[0].length * wide : wide;
  const height = row < 0 ? values.length * HEIGHT : HEIGHT;
  return framed("mark-chosen", { x, y, width, height });
}

/**
 * A frame in two colours, so that it is seen on any cell.
 * @param {string} kind
 * @param {{x: number, y: number, width: number, height: number}} box
 */
function framed(kind, box) {
  return [svg("rect", { class: "mark-halo", ...box }), svg("rect", { class: kind, ...box })];
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
