/** Ask for the model before and after its changes, side by side, at a head that shows what changes. */

/** @typedef {ReturnType<typeof createBeside>} Beside */

/** @param {Pick<import("../../base/store.js").Store<import("./view_state.js").ViewState>, "set">} state */
export function createBeside(state) {
  let isAsked = false;
  return {
    ask() {
      isAsked = true;
      state.set({ view: "compare", otherText: "", otherModel: "", otherHead: "" }, "pick");
    },
    /** @returns {boolean}  whether it was asked for since the last time */
    take() {
      const was = isAsked;
      isAsked = false;
      return was;
    },
  };
}
