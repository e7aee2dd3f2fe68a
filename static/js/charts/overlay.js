/** Position elements over a plot. */

/**
 * @param {HTMLElement} element
 * @param {{left?: number, top?: number, width: number, height: number}} box
 */
export function setBox(element, box) {
  for (const [side, pixels] of Object.entries(box)) element.style.setProperty(side, `${pixels}px`);
}

/**
 * Positions a frame over some cells, given as shares of the plot; hides it if they are out of view.
 * @param {HTMLElement} element
 * @param {{left: number, top: number, width: number, height: number}} inner
 * @param {{start: number, size: number} | null} down
 * @param {{start: number, size: number} | null} across
 */
export function mark(element, inner, down, across) {
  element.hidden = down === null || across === null;
  if (down === null || across === null) return;
  setBox(element, { width: across.size * inner.width, height: down.size * inner.height });
  moveTo(element, inner.left + across.start * inner.width, inner.top + down.start * inner.height);
}

/**
 * Moves an element that follows the pointer, by a transform, which triggers no layout.
 * @param {HTMLElement} element  at the left and top of its frame
 * @param {number} x  pixels
 * @param {number} y
 */
export function moveTo(element, x, y) {
  element.style.transform = `translate(${x}px, ${y}px)`;
}
