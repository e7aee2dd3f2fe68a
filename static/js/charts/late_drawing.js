/** Charts that are drawn when they come into view can be drawn before, as for an image of the page. */

/** @type {WeakMap<Element, () => Promise<void>>} */
const drawings = new WeakMap();

/**
 * @param {Element} chart
 * @param {() => Promise<void>} draw  until what is shown is drawn
 */
export function drawnLate(chart, draw) {
  drawings.set(chart, draw);
}

/**
 * Draws all charts in these elements, and these elements themselves.
 * @param {Iterable<Element>} elements
 */
export async function drawNow(elements) {
  const charts = [...elements].flatMap((element) => [element, ...element.querySelectorAll(".plot")]);
  await Promise.all(charts.map((chart) => drawings.get(chart)?.()));
}
