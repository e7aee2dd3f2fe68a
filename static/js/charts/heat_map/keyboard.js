/** Keyboard control of a heat map: arrows move between cells, with Shift they pan; + and − zoom. */

/** @typedef {import("./cells.js").Pointed} Pointed */
/** @typedef {import("../../base/decode.js").Range} Range */

/** Share of the view that Shift and an arrow pan: across and down. */
const STRIDE = 0.25;
/** @type {Record<string, [number, number]>}  shares of the plot, to the right and down */
const STRIDES = {
  ArrowUp: [0, STRIDE],
  ArrowDown: [0, -STRIDE],
  ArrowLeft: [STRIDE, 0],
  ArrowRight: [-STRIDE, 0],
};

/**
 * @param {Pick<KeyboardEvent, "key" | "shiftKey" | "altKey" | "ctrlKey" | "metaKey">} event
 * @param {import("./movable_window.js").MovableWindow} view
 * @param {Pointed} chosen
 * @param {(at: {query: number, key: number}) => void} onStep  called with the cell that an arrow moves to
 * @returns {boolean}  whether the key was handled
 */
export function pressKey({ key: name, shiftKey, altKey, ctrlKey, metaKey }, view, chosen, onStep) {
  if (altKey || ctrlKey || metaKey) return false;
  const { rows, cols } = view.settled();
  const next = moveOf(name, { query: chosen.query ?? rows[0], key: chosen.key ?? cols[0] }, view.bounds());
  if (name === "Escape") view.showAll();
  else if (name === "+" || name === "-") view.zoomOn(name === "+" ? 0.5 : 2, chosen);
  else if (shiftKey && Object.hasOwn(STRIDES, name)) {
    view.panBy(...STRIDES[name]);
    view.rest();
  } else if (next) {
    onStep(next);
    view.showCell(next);
  } else return false;
  return true;
}

/**
 * The cell that a key moves to.
 * @param {string} name  of the key
 * @param {{query: number, key: number}} from
 * @param {{rows: Range, cols: Range}} bounds
 * @returns {{query: number, key: number} | null}
 */
export function moveOf(name, { query, key }, { rows, cols }) {
  /** @type {Record<string, [number, number]>} */
  const moves = {
    ArrowUp: [query - 1, key],
    ArrowDown: [query + 1, key],
    ArrowLeft: [query, key - 1],
    ArrowRight: [query, key + 1],
    Home: [query, cols[0]],
    End: [query, cols[1] - 1],
    PageUp: [rows[0], key],
    PageDown: [rows[1] - 1, key],
  };
  if (!Object.hasOwn(moves, name)) return null;
  const [down, across] = moves[name];
  return { query: clamp(down, rows), key: clamp(across, cols) };
}

/**
 * @param {number} value
 * @param {Range} range
 */
function clamp(value, [first, end]) {
  return Math.min(Math.max(value, first), end - 1);
}
