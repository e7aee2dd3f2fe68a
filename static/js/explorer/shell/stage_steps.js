/** The stages on the way to a head's weights, as the steps of what is presented. */

/** @typedef {import("../state/view_state.js").ViewState} ViewState */
/** @typedef {import("../../api/types.js").Stage} Stage */

/**
 * @param {Document} root
 * @param {import("../../base/store.js").Store<ViewState>} state
 */
export function stageSteps(root, state) {
  const list = () => {
    const inputs = /** @type {NodeListOf<HTMLInputElement>} */ (root.querySelectorAll("input[name=stage]:enabled"));
    return [...inputs].map((input) => /** @type {Stage} */ (input.value));
  };
  return {
    /** @param {Pick<ViewState, "view" | "stage">} value  @returns {{steps: number, step: number}}  1 of 1 beside the matrix */
    now({ view, stage }) {
      const steps = view === "matrix" ? list() : [];
      return { steps: Math.max(1, steps.length), step: Math.max(1, steps.indexOf(stage) + 1) };
    },
    /** @param {number} step  @returns {Stage | undefined} */
    at: (step) => (state.get().view === "matrix" ? list()[step - 1] : undefined),
    /** @param {number} step */
    go(step) {
      const stage = this.at(step);
      if (stage) state.set({ stage }, "pick");
    },
  };
}
