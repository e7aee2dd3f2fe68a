/** Keyboard navigation: arrows, Home, End and the page keys in lists and grids, and Enter to submit. */

/** Keys for the previous and the next item. */
const WAYS = {
  down: ["ArrowUp", "ArrowDown"],
  right: ["ArrowLeft", "ArrowRight"],
  left: ["ArrowRight", "ArrowLeft"],
};

/**
 * @param {string} key
 * @param {number} index  index of the focused item
 * @param {number} count  of places
 * @param {{way?: keyof typeof WAYS, page?: number}} [options]  `way` the list runs; places a page key goes, 0 for none
 * @returns {number | null}  null for a key that moves nothing
 */
export function moveInList(key, index, count, { way = "down", page = 0 } = {}) {
  const [back, on] = WAYS[way];
  /** @type {Record<string, number>} */
  const moves = { [back]: index - 1, [on]: index + 1, Home: 0, End: count - 1 };
  if (page > 0) Object.assign(moves, { PageUp: index - page, PageDown: index + page });
  return Object.hasOwn(moves, key) ? Math.max(0, Math.min(moves[key], count - 1)) : null;
}

/**
 * Row by row. Home and End stay in the row; with Ctrl they go to the ends of the grid.
 * @param {{key: string, ctrlKey?: boolean}} event
 * @param {number} index
 * @param {{columns: number, count: number}} grid
 * @returns {number | null}  null for a key that moves nothing
 */
export function moveInGrid({ key, ctrlKey = false }, index, { columns, count }) {
  const first = index - (index % columns);
  const last = Math.min(first + columns, count) - 1;
  /** @type {Record<string, number>} */
  const moves = {
    ArrowRight: Math.min(index + 1, last),
    ArrowLeft: Math.max(index - 1, first),
    ArrowDown: index + columns < count ? index + columns : index,
    ArrowUp: index >= columns ? index - columns : index,
    Home: ctrlKey ? 0 : first,
    End: ctrlKey ? count - 1 : last,
  };
  return Object.hasOwn(moves, key) ? moves[key] : null;
}

/**
 * Enter submits, Shift+Enter inserts a line break; during IME composition Enter confirms the composition.
 * @param {Pick<KeyboardEvent, "key" | "shiftKey" | "isComposing">} event
 * @returns {boolean}
 */
export function isSending({ key, shiftKey, isComposing }) {
  return key === "Enter" && !shiftKey && !isComposing;
}
