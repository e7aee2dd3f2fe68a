/** Rows of equal height in a scrolling box: their height, which are in view, and how far to scroll to one that is not. */

/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {{scrollTop: number, clientHeight: number, row: number}} Box  `row`: pixels from one row to the next */

/** Pixels from one row to the next, where there is room, at the standard size of type. */
export const ROW = 28;
/** A row that is still easy to hit. */
const LEAST_ROW = 24;

/**
 * Rows stand closer where all of them fit then; else the box scrolls.
 * @param {number} count
 * @param {number} room  pixels
 * @param {number} [scale]  of the page's type
 * @returns {{row: number, height: number}}  of a row, and of the box
 */
export function fitted(count, room, scale = 1) {
  const [most, least] = [ROW, LEAST_ROW].map((height) => Math.round(height * scale));
  const row = Math.min(most, Math.floor(room / Math.max(1, count)));
  return row >= least ? { row, height: count * row } : { row: most, height: room };
}

/**
 * @param {Box} box
 * @param {number} count
 * @returns {Range}  at least one row
 */
export function rowsInView({ scrollTop, clientHeight, row }, count) {
  const first = Math.floor(scrollTop / row);
  const end = Math.ceil((scrollTop + clientHeight) / row);
  return [Math.max(0, first), Math.min(count, Math.max(end, first + 1))];
}

/**
 * The smallest scroll that brings a row into view.
 * @param {Box} box
 * @param {number} index
 * @returns {number}  pixels from the top
 */
export function scrolledTo({ scrollTop, clientHeight, row }, index) {
  return Math.min(Math.max(scrollTop, (index + 1) * row - clientHeight), index * row);
}

/**
 * Centres a row that is out of view.
 * @param {Box} box
 * @param {number} index
 * @returns {number}  pixels from the top
 */
export function revealed(box, index) {
  const { scrollTop, clientHeight, row } = box;
  return scrolledTo(box, index) === scrollTop ? scrollTop : index * row - (clientHeight - row) / 2;
}

/** A list of rows of one height that scrolls. @param {Pick<HTMLElement, "scrollTop" | "clientHeight"> & {style: {height: string}}} list */
export function createRowScroll(list) {
  /** In pixels; 0 until it is known. */
  let height = 0;
  let row = ROW;
  const box = () => ({ scrollTop: list.scrollTop, clientHeight: list.clientHeight, row });
  const scrollTo = (/** @type {number} */ pixels) => {
    if (list.scrollTop !== pixels) list.scrollTop = pixels;
  };
  return {
    /** Pixels from one row to the next; null until the height is known. */
    row: () => (height === 0 ? null : row),
    /** @param {number} count */
    range: (count) => rowsInView(box(), count),
    /** Rows in view at once. */
    fitting: () => Math.floor(list.clientHeight / row),
    /** @param {number} index */
    show: (index) => scrollTo(scrolledTo(box(), index)),
    /** A row out of sight comes to the middle. @param {number} index */
    reveal: (index) => scrollTo(revealed(box(), index)),
    /** Pixels from the list's top to a row's middle. @param {number} index */
    middle: (index) => (index + 0.5) * row - list.scrollTop,
    scrollTop: () => list.scrollTop,
    scrollTo,
    /**
     * @param {{row: number, height: number}} next  in pixels
     * @returns {boolean}  whether that is another size
     */
    resize(next) {
      if (next.height === height && next.row === row) return false;
      ({ row, height } = next);
      list.style.height = `${height}px`;
      return true;
    },
  };
}
