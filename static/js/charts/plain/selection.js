/** What dragging encloses: a box between its ends, or everything inside the line that a lasso draws. */

/** @typedef {import("../plots/scatter_layout.js").Spot} Spot */

/**
 * Its outline as an SVG path.
 * @param {readonly Spot[]} dragged  where the pointer has been
 * @param {string} mode  "lasso", or a box for any other
 */
export function pathOf(dragged, mode) {
  return `M${corners(dragged, mode)
    .map(({ x, y }) => `${x} ${y}`)
    .join("L")}Z`;
}

/**
 * Whether a spot is inside, by the parity of edges that a line from it to the right crosses.
 * @param {Spot} spot
 * @param {readonly Spot[]} dragged
 * @param {string} mode
 */
export function isInside({ x, y }, dragged, mode) {
  const around = corners(dragged, mode);
  return around.reduce((isIn, from, index) => {
    const to = around[(index + 1) % around.length];
    if (from.y > y === to.y > y) return isIn;
    const crossing = from.x + ((y - from.y) / (to.y - from.y)) * (to.x - from.x);
    return x < crossing ? !isIn : isIn;
  }, false);
}

/** @param {readonly Spot[]} dragged @param {string} mode @returns {readonly Spot[]} */
function corners(dragged, mode) {
  if (mode === "lasso") return dragged;
  const [from, to] = [dragged[0], dragged[dragged.length - 1]];
  return [from, { x: to.x, y: from.y }, to, { x: from.x, y: to.y }];
}
