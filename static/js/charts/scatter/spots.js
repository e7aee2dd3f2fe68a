/** Points of a scatter in pixels: which is meant, which lie in a box or a lasso, and where an arrow key leads. */

/** @typedef {import("./extents.js").Spot} Spot */
/** @typedef {"select" | "lasso"} Selecting  what dragging selects with: a box, or the line that it draws */

/**
 * Where an event is in an element.
 * @param {Element} element
 * @param {{clientX: number, clientY: number}} event
 * @returns {Spot}
 */
export function spotIn(element, { clientX, clientY }) {
  const { left, top } = element.getBoundingClientRect();
  return { x: clientX - left, y: clientY - top };
}

/**
 * @template {Spot} S
 * @param {readonly S[]} spots
 * @param {Spot} target
 * @param {number} reach  pixels
 * @returns {S | null}  the nearest within reach, of equals the last
 */
export function nearest(spots, target, reach) {
  let best = reach;
  let closest = null;
  for (const spot of spots) {
    const distance = Math.hypot(spot.x - target.x, spot.y - target.y);
    if (distance > best) continue;
    best = distance;
    closest = spot;
  }
  return closest;
}

/**
 * What dragging encloses, as an SVG path: a box between its ends, or all that a lasso goes around.
 * @param {readonly Spot[]} dragged  where the pointer has been
 * @param {string} mode  "lasso", or a box for any other
 */
export function outlineOf(dragged, mode) {
  return `M${corners(dragged, mode)
    .map(({ x, y }) => `${x} ${y}`)
    .join("L")}Z`;
}

/**
 * Whether dragging encloses a spot, by the parity of edges that a line from it to the right crosses.
 * @param {Spot} spot
 * @param {readonly Spot[]} dragged
 * @param {string} mode
 */
export function isEnclosed({ x, y }, dragged, mode) {
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

/**
 * The spot that an arrow key leads to: the nearest in its direction, where what lies aside counts twice.
 * @param {readonly (Spot | null)[]} spots  null: not in view
 * @param {number} from  index
 * @param {string} key
 * @returns {number | null}  null for another key; `from` where there is none
 */
export function stepTo(spots, from, key) {
  const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key];
  const start = spots[from];
  if (!way || !start) return null;
  let best = Infinity;
  let next = from;
  spots.forEach((spot, index) => {
    if (!spot || index === from) return;
    const [dx, dy] = [spot.x - start.x, spot.y - start.y];
    const along = dx * way[0] + dy * way[1];
    const aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
    const far = along + 2 * aside;
    if (along <= 0.5 || aside > 2 * along || far >= best) return;
    best = far;
    next = index;
  });
  return next;
}
