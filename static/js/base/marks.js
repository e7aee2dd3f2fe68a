/** Marks that stand on one of many elements each, and move: only the two that differ are touched. */

/**
 * @template {string} N
 * @param {Record<N, (element: HTMLElement, isIt: boolean) => void>} kinds  how each mark is put on and taken off
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
    /** The elements have been made anew, and carry no marks. */
    forget: () => marked.clear(),
  };
}
