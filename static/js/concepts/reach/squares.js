/** A square matrix of what can or cannot be: a cell for each query and key, to choose or to draw in. */

import { fittedView } from "../../charts/axes.js";
import { fill, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { framed, inside, standing, steppedTo, tellCell } from "../../charts/cell_choice.js";
import { legibleType } from "../../charts/legible_type.js";

/** @typedef {import("../../charts/cell_choice.js").At} At */

/**
 * @typedef {object} Squares
 * @property {string} title
 * @property {string[][]} kinds  of each cell: its class, and its sign in SIGNS
 * @property {(at: At) => string} says  a cell in words
 * @property {At} chosen
 */

/**
 * @typedef {object} SquaresOptions
 * @property {(at: At) => void} onPick
 * @property {(at: At, isOpen: boolean) => void} [onDraw]  cells are opened and shut by a click, a drag, Enter or the space bar
 */

/** Colour is not the only sign: what stands in a cell. */
const SIGNS = /** @type {Record<string, string>} */ ({ leak: "!", beside: "!!", shut: "×" });
const [LEFT, TOP] = [22, 34];
const SIDE = { least: 150, most: 212 };
const OPEN = "open";

/**
 * @param {HTMLElement} element
 * @param {Squares} data
 * @param {SquaresOptions} options
 * @returns {import("../../base/mount.js").View<Squares>}
 */
export function squaresMark(element, data, { onPick, onDraw }) {
  const picture = svg("svg", { class: "mark matrix-mark reach-squares", role: "slider", tabindex: 0 });
  const ring = svg("g", { class: "mark-keyboard" });
  fill(element, legibleType(picture));
  let [shown, current, side] = [data, data.chosen, 1];

  const isOpen = (/** @type {At} */ { row, column }) => shown.kinds[row][column].startsWith(OPEN);

  /** @param {At} cell @param {boolean} open */
  function draw(cell, open) {
    current = cell;
    if (onDraw) onDraw(cell, open);
    else onPick(cell);
  }

  /** @param {MouseEvent} event @returns {At | null} */
  function cellAt(event) {
    const cell = cellUnder(event, picture, side);
    return shown.kinds[cell.row]?.[cell.column] === undefined ? null : cell;
  }

  picture.addEventListener("keydown", (event) => {
    const next = steppedTo(event, current, shown.kinds);
    if (next) {
      current = next;
      placeRing();
      onPick(current);
    } else if (onDraw && (event.key === "Enter" || event.key === " ")) draw(current, !isOpen(current));
    else return;
    event.preventDefault();
  });
  const isCurrent = (/** @type {At} */ cell) => isSameCell(cell, current);
  bindPen(picture, { draws: onDraw !== undefined, cellAt, isOpen, isCurrent, draw });

  function placeRing() {
    const at = inside(current, shown.kinds);
    fill(ring, ...framed("mark-ring", boxOf(at, side)));
    tellCell(picture, at, shown.kinds, shown.says(at));
  }

  /** @param {Squares} next @param {number} room */
  function update(next, room) {
    current = standing(current, shown.chosen, next.chosen);
    shown = next;
    side = (Math.min(room, SIDE.most) - LEFT - 2) / next.kinds.length;
    nameAndSize(picture, next, side);
    picture.classList.toggle("is-drawn", onDraw !== undefined);
    fill(
      picture,
      ...axesOf(next.kinds.length, side),
      ...cellsOf(next, side),
      ...framed("mark-chosen", boxOf(next.chosen, side)),
      ring,
    );
    placeRing();
  }

  return fittedView(element, data, update, SIDE);
}

/** @param {SVGSVGElement} picture @param {Squares} squares @param {number} side */
function nameAndSize(picture, { title, kinds }, side) {
  const [width, height] = [LEFT, TOP].map((edge) => edge + side * kinds.length + 2);
  picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
  picture.setAttribute("width", String(width));
  picture.setAttribute("height", String(height));
  picture.setAttribute("aria-label", title);
  picture.setAttribute("aria-roledescription", t("matrix"));
}

/**
 * Draws with a mouse or a pen: the first cell that is pressed says whether the drag opens cells or shuts them. A finger
 * scrolls the page; a tap or click that no drag began draws its cell alone.
 * @param {SVGSVGElement} picture
 * @param {object} cells
 * @param {boolean} cells.draws  whether a drag draws at all
 * @param {(event: MouseEvent) => At | null} cells.cellAt
 * @param {(cell: At) => boolean} cells.isOpen
 * @param {(cell: At) => boolean} cells.isCurrent
 * @param {(cell: At, open: boolean) => void} cells.draw
 */
function bindPen(picture, { draws, cellAt, isOpen, isCurrent, draw }) {
  /** While it draws: what it makes of the cells. @type {boolean | null} */
  let opens = null;
  /** Whether the click that follows has been drawn already. */
  let isDrawn = false;

  picture.addEventListener("pointerdown", (event) => {
    const cell = cellAt(event);
    isDrawn = false;
    if (!cell || !draws || event.pointerType === "touch" || event.button !== 0) return;
    opens = !isOpen(cell);
    isDrawn = true;
    picture.setPointerCapture(event.pointerId);
    draw(cell, opens);
  });
  picture.addEventListener("pointermove", (event) => {
    if (opens === null) return;
    const cell = cellAt(event);
    if (cell && !isCurrent(cell)) draw(cell, opens);
  });
  for (const kind of ["pointerup", "pointercancel"]) picture.addEventListener(kind, () => (opens = null));
  picture.addEventListener("click", (event) => {
    const cell = cellAt(event);
    if (cell && !isDrawn) draw(cell, !isOpen(cell));
    isDrawn = false;
  });
}

/** @param {At} one @param {At} other */
function isSameCell(one, other) {
  return one.row === other.row && one.column === other.column;
}

/**
 * Where an event is in the matrix, also beside its cells.
 * @param {MouseEvent} event
 * @param {SVGSVGElement} picture
 * @param {number} side  of a cell
 * @returns {At}
 */
function cellUnder({ clientX, clientY }, picture, side) {
  const box = picture.getBoundingClientRect();
  const scale = picture.viewBox.baseVal.width / box.width;
  return {
    row: Math.floor(((clientY - box.top) * scale - TOP) / side),
    column: Math.floor(((clientX - box.left) * scale - LEFT) / side),
  };
}

/**
 * The names of the axes, and the positions along them.
 * @param {number} count
 * @param {number} side
 */
function axesOf(count, side) {
  const positions = Array.from({ length: count }, (_, index) => index);
  return [
    svg("text", { class: "mark-axes", x: LEFT, y: 11 }, t("query ↓ key →")),
    ...positions.map((position) =>
      svg("text", { class: "mark-column is-key", x: LEFT + (position + 0.5) * side, y: TOP - 6 }, String(position)),
    ),
    ...positions.map((position) =>
      svg("text", { class: "mark-row is-query", x: LEFT - 6, y: TOP + (position + 0.5) * side }, String(position)),
    ),
  ];
}

/** @param {Squares} data @param {number} side */
function cellsOf(data, side) {
  return data.kinds.flatMap((row, query) =>
    row.map((kind, key) => cellOf(kind, { row: query, column: key }, data, side)),
  );
}

/**
 * @param {string} kind
 * @param {At} at
 * @param {Squares} data
 * @param {number} side
 */
function cellOf(kind, { row, column }, { says }, side) {
  const [x, y] = [LEFT + column * side, TOP + row * side];
  const sign = SIGNS[kind];
  return svg(
    "g",
    { class: `reach-cell ${kind.replace(/^\w+/, "is-$&")}` },
    svg("rect", { x: x + 0.5, y: y + 0.5, width: side - 1, height: side - 1 }),
    sign ? svg("text", { x: x + side / 2, y: y + side / 2 }, sign) : null,
    svg("title", {}, says({ row, column })),
  );
}

/** @param {At} at @param {number} side */
function boxOf({ row, column }, side) {
  return { x: LEFT + column * side, y: TOP + row * side, width: side, height: side };
}
