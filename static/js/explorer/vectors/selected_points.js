/** Points selected in the query–key plane: they stay for other heads of the same text, and the token strip marks them. */

/** @typedef {import("./plane.js").PlaneData["selected"]} Points */

/** @param {(selected: import("../widgets/panel.js").Selected) => void} share  tells the token strip */
export function createSelection(share) {
  /** Of the text that they are selected in. @type {object | null} */
  let tokens = null;
  /** @type {Points} */
  let points = [];
  /** @type {Points} */
  let told = [];

  /** @param {Points} next */
  function tell(next) {
    if (next === told || next.length + told.length === 0) return;
    told = next;
    const of = (/** @type {"query" | "key"} */ role) =>
      next.filter((point) => point.role === role).map(({ token }) => token);
    share({ queries: of("query"), keys: of("key") });
  }

  return {
    /** @param {object} shown  the tokens shown @returns {Points} */
    among(shown) {
      if (tokens !== shown) [tokens, points] = [shown, []];
      tell(points);
      return points;
    },
    /** @param {Points} selected */
    set(selected) {
      points = selected;
      tell(selected);
    },
    /** The plane is left. */
    hide: () => tell([]),
  };
}
