/** Which head is pointed at, shared by the map, the grid and the lists without redrawing any of them. */

/** @typedef {ReturnType<typeof createPointing>} Pointing */

export function createPointing() {
  /** @type {Set<(index: number | null) => void>} */
  const listeners = new Set();
  return {
    /** @param {number | null} index  of a head; null: none */
    point(index) {
      for (const listener of listeners) listener(index);
    },
    /** @param {(index: number | null) => void} listener @returns {() => void} */
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
