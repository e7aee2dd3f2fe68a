/**
 * The window of a heat map in view, as a state machine without a page. It stands where the page's state has it; moves, in
 * fractions of a token; and rests on whole tokens until the state says the same.
 */

import { include, touched, zoom } from "./geometry.js";
import { pan, settle, tokenAt, zoomAt } from "./viewport.js";

/** @typedef {import("./cells.js").Pointed} Pointed */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {{rows: Range, cols: Range}} Window */
/** @typedef {Window & {size: {queries: number, keys: number}}} Place  where the state has the window, and in what */
/** @typedef {ReturnType<typeof createMovableWindow>} MovableWindow */

/**
 * @typedef {object} WindowOptions
 * @property {() => void} onMove  at every step
 * @property {() => void} onRest  it will not go on by itself
 * @property {boolean} [hasFixedRows]  only columns move
 */

/** @param {Place} place @param {WindowOptions} options */
export function createMovableWindow(place, options) {
  const { move, jump, ...window } = createWindow(place, options);
  const { now, bounds } = window;
  return {
    ...window,
    isWhole: () => isWithin(bounds(), now()),
    /** @param {number} x  share of the plot @param {number} y @returns {Pointed} */
    cellAt: (x, y) => ({ query: tokenAt(now().rows, y), key: tokenAt(now().cols, x) }),
    /** @param {number} dx  shares of the plot @param {number} dy */
    panBy: (dx, dy) => move((range, by, count) => pan(range, -by * (range[1] - range[0]), count), dy, dx),
    /** @param {number} factor  below 1 goes closer @param {number} x @param {number} y */
    zoomAt: (factor, x, y) => move((range, share, count) => zoomAt(range, factor, share, count), y, x),
    /** @param {number} factor @param {Pointed} cell */
    zoomOn: (factor, { query, key }) => jump((range, token, count) => zoom(range, factor, token, count), query, key),
    /** @param {{x: [number, number], y: [number, number]}} box  shares of the plot */
    showBox: ({ x, y }) => jump(touched, y, x),
    /** @param {Pointed} cell */
    showCell: ({ query, key }) => jump(include, query, key),
    showAll: () => jump((_range, _none, count) => [0, count], null, null),
  };
}

/** Where the window is, and whether it moves. @param {Place} place @param {WindowOptions} options */
function createWindow(place, { onMove, onRest, hasFixedRows = false }) {
  /** @type {"still" | "moving" | "resting"} */
  let phase = "still";
  /** @type {Window} */
  let reached = place;
  const now = () => (phase === "still" ? place : reached);

  /** @returns {Window}  in whole tokens */
  function settled() {
    const { rows, cols } = now();
    return { rows: hasFixedRows ? rows : settle(rows, place.size.queries), cols: settle(cols, place.size.keys) };
  }

  /**
   * @template T
   * @param {(range: Range, by: T, count: number) => Range} step  of either side
   * @param {T} down  what it takes for the rows
   * @param {T} across
   * @param {Window} from
   */
  function move(step, down, across, { rows, cols } = now()) {
    const { queries, keys } = place.size;
    reached = { rows: hasFixedRows ? rows : step(rows, down, queries), cols: step(cols, across, keys) };
    phase = "moving";
    onMove();
  }

  function rest() {
    if (phase === "still") return;
    reached = settled();
    phase = isSame(reached, place) ? "still" : "resting";
    onRest();
  }

  /** @type {typeof move}  and stays there, whatever was still moving */
  function jump(step, down, across) {
    move(step, down, across, settled());
    rest();
  }

  return {
    now,
    settled,
    move,
    rest,
    jump,
    isStill: () => phase === "still",
    bounds: () => ({
      rows: hasFixedRows ? place.rows : /** @type {Range} */ ([0, place.size.queries]),
      cols: /** @type {Range} */ ([0, place.size.keys]),
    }),
    /** @param {Place} next  what the state says now @param {boolean} isOther  another matrix */
    follow(next, isOther) {
      place = next;
      if (isOther || (phase === "resting" && isSame(reached, next))) phase = "still";
    },
  };
}

/**
 * @param {Window} a
 * @param {Window} b
 */
function isSame(a, b) {
  return `${a.rows} ${a.cols}` === `${b.rows} ${b.cols}`;
}

/**
 * @param {Window} inner
 * @param {Window} outer
 */
function isWithin(inner, outer) {
  return [
    [inner.rows, outer.rows],
    [inner.cols, outer.cols],
  ].every(([inside, other]) => inside[1] - inside[0] <= other[1] - other[0]);
}
