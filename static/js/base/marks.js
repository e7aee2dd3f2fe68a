/** Movable marks, each on one of many elements: moving one touches only the old and the new element. */

/**
 * @template {string} N
 * @param {Record<N, (element: HTMLElement, isIt: boolean) => void>} kinds  how each mark is added and removed
 * @param {(index: number) => HTMLElement | undefined} elementAt  undefined where there is none on the page
 */
export function createMarks(kinds, elementAt) {
  /** @type {Map<string, number>} */
  const marked = new Map();
  return {
    /** @param {Partial<Record<N, number | null>>} places  null for none */
    set(places) {
      for (const [name, to] of /** @type {[N, number | null][]} */ (Object.entries(places))) {
        const before = marked.get(name);
        const next = to === null ? undefined : elementAt(to);
        if (before === (next && to)) continue;
        const old = before === undefined ? undefined : elementAt(before);
        if (old) kinds[name](old, false);
        if (next) kinds[name](next, true);
        if (next && to !== null) marked.set(name, to);
        else marked.delete(name);
      }
    },
    /** Call after the elements have been recreated without marks. */
    forget: () => marked.clear(),
  };
}
