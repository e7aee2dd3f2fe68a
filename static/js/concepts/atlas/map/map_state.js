/** What a map of heads knows between events: its heads, its layout, the head pointed at. */

import { extentBetween } from "../../../charts/scatter/extents.js";
import { isEnclosed, nearest, stepTo } from "../../../charts/scatter/spots.js";
import { fitted, layOut, sizeIn, wholeMap } from "./map_layout.js";

/** @typedef {import("./map_marks.js").HeadMap} HeadMap */
/** @typedef {import("../../../charts/scatter/extents.js").Extent} Extent */
/** @typedef {import("../../../charts/scatter/extents.js").Spot} Spot */
/** @typedef {import("../../../charts/scatter/spots.js").Selecting} Selecting */

/** @param {HeadMap} data */
export function createMapState(data) {
  let shown = data;
  let size = sizeIn(0, shown.heights());
  let layout = layOut(shown, size, wholeMap(shown, size));
  let pointed = -1;
  const there = () => layout.spots.filter((spot) => spot !== null);
  /** The head pointed at, else the chosen one, if it is in view. */
  const current = () => [pointed, shown.chosen].find((index) => layout.spots[index]) ?? null;

  return {
    shown: () => shown,
    now: () => ({ shown, size, layout, pointed }),
    whole: () => wholeMap(shown, size),
    /** The place that zooming keeps. */
    fixed: () => placeOf(shown, current() ?? -1),
    start: () => current() ?? there()[0]?.index ?? null,
    /** @param {number} from @param {string} key */
    step: (from, key) => stepTo(layout.spots, from, key),
    /** @param {Spot} spot @param {number} reach  pixels */
    indexNear: (spot, reach) => nearest(there(), spot, reach)?.index ?? null,
    /** What has been dragged over. @param {readonly Spot[]} dragged @param {Selecting} mode */
    enclosed: (dragged, mode) =>
      there()
        .filter((spot) => isEnclosed(spot, dragged, mode))
        .map(({ index }) => index),
    /** What is zoomed to by dragging. @param {readonly Spot[]} dragged */
    extentOf: (dragged) => fitted(shown, extentBetween(dragged[0], dragged[dragged.length - 1], layout), size),
    /** Whether the map would have another width in a place so wide. @param {number} wide */
    isOther: (wide) => sizeIn(wide, shown.heights()).width !== size.width,
    /** @param {number} wide */
    fit(wide) {
      size = sizeIn(wide, shown.heights());
    },
    /** @param {Extent} extent */
    layOut(extent) {
      layout = layOut(shown, size, extent);
    },
    /** @param {number | null} index @returns {boolean}  whether it is another head */
    point(index) {
      const isOther = (index ?? -1) !== pointed;
      pointed = index ?? -1;
      return isOther;
    },
    /** @param {HeadMap} next */
    update(next) {
      shown = next;
    },
  };
}

/** @param {HeadMap} map @param {number} index @returns {readonly [number, number] | null} */
function placeOf({ points }, index) {
  const { x = null, y = null } = points[index] ?? {};
  return x === null || y === null ? null : [x, y];
}
