/** What a scatter plot knows between events: its points, its size, the series switched off, where the keyboard is. */

import { centredOn, heightOf, isWithin, spotOf, wholeOf, withEqualUnits } from "../scatter/extents.js";
import { indexOf, nextPoint, pairOf, startOf } from "./scatter_data.js";

/** @typedef {import("./scatter_data.js").Scatter} Scatter */
/** @typedef {import("./scatter_data.js").At} At */
/** @typedef {import("../scatter/extents.js").Extent} Extent */

/**
 * @param {Scatter} data
 * @param {() => Extent | null} zoomedTo  null: everything
 */
export function createScatterState(data, zoomedTo) {
  let shown = data;
  let size = { width: 0, height: 0 };
  /** @type {At | null} */
  let current = null;
  /** @type {Set<string>} */
  const off = new Set();

  const whole = () => wholeOf(pointsOf(shown), size);
  /** With equal units, also in a place of another size. */
  const extent = () => withEqualUnits(zoomedTo() ?? whole(), size);
  const isIn = (/** @type {import("../scatter/extents.js").Pair} */ pair) =>
    isWithin(spotOf(pair, extent(), size), size);

  return {
    off,
    whole,
    extent,
    shown: () => shown,
    size: () => size,
    view: () => ({ off, extent: extent(), size }),
    /** @param {number} width  of the part that holds the points */
    fit(width) {
      size = { width, height: heightOf(pointsOf(shown), width) };
    },
    /** The place that zooming keeps: that of the keyboard, if it is in view. */
    fixed() {
      const pair = current && pairOf(shown, current);
      return pair && isIn(pair) ? pair : null;
    },
    start: () => startOf(shown, off, current),
    /** @param {At} from @param {string} key */
    step: (from, key) => nextPoint(shown, off, from, key),
    /** Where the points are that are shown. */
    spots: () =>
      shown.series.flatMap(({ name, ids, points }, series) =>
        off.has(name) ? [] : ids.map((id, index) => ({ ...spotOf(points[index], extent(), size), at: { series, id } })),
      ),
    /** Switches a series on or off. @param {string} name */
    toggle(name) {
      if (!off.delete(name)) off.add(name);
      if (current && off.has(shown.series[current.series].name)) current = null;
    },
    /** @param {At} next */
    goTo(next) {
      current = next;
    },
    /** What has to be in view for a point to be seen; null: it is. @param {At} point @returns {Extent | null} */
    following(point) {
      const [pair, zoomed] = [pairOf(shown, point), zoomedTo()];
      return pair && zoomed && !isIn(pair) ? centredOn(zoomed, pair) : null;
    },
    /** @param {Scatter} next */
    update(next) {
      shown = next;
      if (current && indexOf(next, current) < 0) current = null;
    },
  };
}

/** @param {Scatter} scatter */
function pointsOf({ series }) {
  return series.flatMap(({ points }) => [...points]);
}
