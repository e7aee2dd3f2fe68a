/** All heads as a grid of buttons, layers down and heads across: one Tab stop, arrow keys move inside. */

import { el, fill } from "../base/dom.js";
import { moveInGrid } from "../base/key_moves.js";

/**
 * @typedef {object} HeadGridOptions  cells are counted row by row
 * @property {(index: number, event: MouseEvent) => void} onPick
 * @property {(index: number | null) => void} onPoint  by the pointer or the keyboard; null when it leaves
 */

/**
 * @param {HTMLElement} grid
 * @param {HeadGridOptions} options
 */
export function createHeadGrid(grid, { onPick, onPoint }) {
  /** @type {HTMLButtonElement[]} */
  let cells = [];
  let columns = 1;
  const indexOf = (/** @type {EventTarget | null} */ target) => cellAt(cells, target);
  grid.setAttribute("role", "grid");
  grid.addEventListener("click", (event) => {
    const index = indexOf(event.target);
    if (index !== null) onPick(index, event);
  });
  grid.addEventListener("keydown", (event) => {
    const index = indexOf(event.target);
    const next = index === null ? null : moveInGrid(event, index, { columns, count: cells.length });
    if (next === null) return;
    event.preventDefault();
    stopAt(next);
    cells[next].focus();
  });
  for (const type of ["pointerover", "focusin"]) grid.addEventListener(type, ({ target }) => onPoint(indexOf(target)));
  for (const type of ["pointerleave", "focusout"]) grid.addEventListener(type, () => onPoint(null));

  /** @param {number} index */
  function stopAt(index) {
    cells.forEach((cell, position) => (cell.tabIndex = position === index ? 0 : -1));
  }

  return {
    cells: () => cells,
    /**
     * Fills the grid anew; the cell that had the focus has it again.
     * @param {{corner: string, layers: string[], heads: string[], isUnnamed?: boolean}} names  `isUnnamed`: the order
     *   says nothing, so the row of names is no heading
     * @param {HTMLButtonElement[]} next
     */
    build({ corner, layers, heads, isUnnamed = false }, next) {
      const focused = indexOf(document.activeElement);
      cells = next;
      columns = heads.length;
      grid.style.setProperty("--heads", String(columns));
      grid.style.setProperty("--layers", String(layers.length));
      const first = [header("corner", corner), ...heads.map((name) => header("head", name))];
      fill(
        grid,
        el("div", { class: "grid-row", role: "row", "aria-hidden": isUnnamed ? "true" : null }, ...first),
        ...layers.map((name, row) => {
          const own = cells.slice(row * columns, (row + 1) * columns);
          return el("div", { class: "grid-row", role: "row" }, header("layer", name), ...own);
        }),
      );
      if (focused !== null) cells[focused]?.focus();
    },
    /** @param {number} index  of the chosen head; the Tab key leads to it, or to the first where it is none */
    select(index) {
      cells.forEach((cell, position) => cell.setAttribute("aria-selected", String(position === index)));
      stopAt(cells[index] ? index : 0);
    },
  };
}

/** @param {HTMLButtonElement[]} cells @param {EventTarget | null} target */
function cellAt(cells, target) {
  const cell = target instanceof Element ? target.closest("button") : null;
  const index = cell ? cells.indexOf(cell) : -1;
  return index < 0 ? null : index;
}

/** @param {string} kind @param {string} name */
function header(kind, name) {
  return el("span", { class: `grid-${kind}`, role: kind === "layer" ? "rowheader" : "columnheader" }, name);
}
