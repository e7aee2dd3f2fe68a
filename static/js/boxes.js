/** Placing what is drawn over a plot. */

/**
 * @param {HTMLElement} element
 * @param {{left?: number, top?: number, width: number, height: number}} box
 */
export function setBox(element, box) {
  for (const [side, pixels] of Object.entries(box)) element.style.setProperty(side, `${pixels}px`);
}

/**
 * Lays a frame over some cells, given as shares of the plot; hides it when they are out of view.
 * @param {HTMLElement} element
 * @param {{left: number, top: number, width: number, height: number}} inner
 * @param {{start: number, size: number} | null} down
 * @param {{start: number, size: number} | null} across
 */
export function mark(element, inner, down, across) {
  element.hidden = down === null || across === null;
  if (down === null || across === null) return;
  setBox(element, {
    left: inner.left + across.start * inner.width,
    top: inner.top + down.start * inner.height,
    width: across.size * inner.width,
    height: down.size * inner.height,
  });
}
