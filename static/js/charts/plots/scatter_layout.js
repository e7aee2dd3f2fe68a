/** Layout of a scatter plot with equal units on both axes: what is in view, hit testing, names without overlap. */

/** @typedef {readonly [number, number]} Pair */
/** @typedef {{x: number, y: number}} Spot  in pixels, y down */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/** @typedef {{width: number, height: number}} Size  of the part that holds the points, in pixels */

/**
 * @typedef {object} Extent  what is in view
 * @property {Pair} middle
 * @property {number} unit  a pixel, in units of both axes
 *
 * @typedef {object} Name  of a point
 * @property {Spot} at
 * @property {number} width
 * @property {number} height
 * @property {number} size  of the point's mark, from the middle outward
 * @property {boolean} [needed]  placed even over another point
 */

const EDGE = { x: 44, y: 30 };
const HEIGHT = { least: 260, most: 460 };
/** Around a point, a name may stand here; the names of Plotly's `textposition`, best first. */
export const SIDES = /** @type {const} */ ([
  "middle right",
  "middle left",
  "top center",
  "bottom center",
  "top right",
  "bottom right",
  "top left",
  "bottom left",
]);

/**
 * @param {readonly Pair[]} points
 * @param {number} width  pixels that they have
 * @returns {number}  pixels that they need
 */
export function heightOf(points, width) {
  const [x, y] = extents(points);
  const wanted = ((width - 2 * EDGE.x) * y.span) / x.span + 2 * EDGE.y;
  return Math.round(Math.min(Math.max(wanted, HEIGHT.least), HEIGHT.most));
}

/**
 * Everything in view.
 * @param {readonly Pair[]} points
 * @param {Size} size
 * @returns {Extent}
 */
export function wholeOf(points, { width, height }) {
  const [x, y] = extents(points);
  const unit = Math.max(x.span / Math.max(1, width - 2 * EDGE.x), y.span / Math.max(1, height - 2 * EDGE.y));
  return { middle: [x.middle, y.middle], unit };
}

/** @param {readonly Pair[]} points */
function extents(points) {
  return [0, 1].map((axis) => {
    const values = points.map((point) => point[axis]);
    const least = values.reduce((one, other) => Math.min(one, other), Infinity);
    const most = values.reduce((one, other) => Math.max(one, other), -Infinity);
    return { span: Math.max(most - least, 1e-9), middle: (least + most) / 2 };
  });
}

/**
 * The ranges of both axes.
 * @param {Extent} extent
 * @param {Size} size
 * @returns {{x: [number, number], y: [number, number]}}
 */
export function rangesOf({ middle: [x, y], unit }, { width, height }) {
  const [across, up] = [(unit * width) / 2, (unit * height) / 2];
  return { x: [x - across, x + across], y: [y - up, y + up] };
}

/**
 * The reverse of `rangesOf`.
 * @param {readonly number[]} x
 * @param {readonly number[]} y
 * @param {Size} size
 * @returns {Extent}
 */
export function extentOf(x, y, { width }) {
  return { middle: [(x[0] + x[1]) / 2, (y[0] + y[1]) / 2], unit: (x[1] - x[0]) / width };
}

/**
 * @param {Pair} point
 * @param {Extent} extent
 * @param {Size} size
 * @returns {Spot}
 */
export function spotOf([x, y], { middle, unit }, { width, height }) {
  return { x: width / 2 + (x - middle[0]) / unit, y: height / 2 - (y - middle[1]) / unit };
}

/**
 * @param {Spot} spot
 * @param {Size} size
 */
export function isWithin({ x, y }, { width, height }) {
  return x >= 0 && y >= 0 && x <= width && y <= height;
}

/**
 * @template {Spot} S
 * @param {S[]} spots
 * @param {Spot} at
 * @param {number} reach  pixels
 * @returns {S | null}  the nearest within reach
 */
export function nearest(spots, at, reach) {
  let best = reach;
  let found = null;
  for (const spot of spots) {
    const distance = Math.hypot(spot.x - at.x, spot.y - at.y);
    if (distance > best) continue;
    best = distance;
    found = spot;
  }
  return found;
}

/**
 * Sides of points for their names, without covering points, each other or the edge; earlier names take precedence.
 * @param {Name[]} names
 * @param {(Spot & {reach: number})[]} points  `reach`: from the middle outward
 * @param {Size} size
 * @returns {((typeof SIDES)[number] | null)[]}  null where there is no room
 */
export function placeNames(names, points, size) {
  /** @type {Box[]} */
  const taken = [];
  const dots = points.map(({ x, y, reach }) => ({ x: x - reach, y: y - reach, width: 2 * reach, height: 2 * reach }));
  return names.map((name) => {
    const places = around(name).map((box, side) => ({ ...box, side: SIDES[side] }));
    const inside = places.filter(
      (box) => isWithin(box, size) && isWithin({ x: box.x + box.width, y: box.y + box.height }, size),
    );
    const free = inside.filter((box) => !taken.some((other) => overlaps(box, other)));
    const clear = free.find((box) => !dots.some((dot) => overlaps(box, dot)));
    const found = clear ?? (name.needed ? free[0] : undefined);
    if (!found) return null;
    taken.push(found);
    return found.side;
  });
}

/**
 * As Plotly places text: this far from the middle, to the side, above or below, or both.
 * @param {Name} name
 * @returns {Box[]}  in the order of `SIDES`
 */
function around({ at: { x, y }, width, height, size }) {
  const gap = size / 0.8 + 1;
  const across = { left: x - gap - width, center: x - width / 2, right: x + gap };
  const down = { top: y - gap - height, middle: y - height / 2, bottom: y + gap };
  return SIDES.map((side) => {
    const [row, column] = /** @type {[keyof typeof down, keyof typeof across]} */ (side.split(" "));
    return { x: across[column], y: down[row], width, height };
  });
}

/**
 * @param {Box} one
 * @param {Box} other
 */
function overlaps(one, other) {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}
