/** Earlier what-if changes, for undo; those of another model are dropped. */

const KEPT = 50;

export function createPastChanges() {
  /** @type {{model: string, changes: string}[]} */
  const past = [];
  return {
    /** @param {string} model @param {string} changes  before another is made */
    add(model, changes) {
      past.push({ model, changes });
      if (past.length > KEPT) past.shift();
    },
    /** @param {string} model */
    has: (model) => past.some((run) => run.model === model),
    /**
     * The changes before the last one. What was changed in another model need not exist in this one.
     * @param {string} model
     */
    take(model) {
      while (past.length > 0 && past.at(-1)?.model !== model) past.pop();
      return past.pop()?.changes ?? "";
    },
  };
}
