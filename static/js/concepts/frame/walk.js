/** Going through the steps of a calculation; before one does, the whole picture stands there. */

import { LAST_STEP } from "../../base/fields.js";

/**
 * @template {{step: number}} S
 * @param {Pick<import("../../base/store.js").Store<S>, "get" | "set">} state
 */
export function createWalk(state) {
  let steps = 0;
  /** The first key shows the first step. */
  let isWalked = false;

  /** The step shown; calculations differ in length. @param {Readonly<S>} value */
  const shown = (value) => Math.min(value.step, Math.max(steps, 1));
  const step = () => (isWalked ? shown(state.get()) : 0);

  /** @param {number} next */
  function goTo(next) {
    isWalked = true;
    if (next < 1 || next > steps) return;
    state.set(/** @type {Partial<S>} */ ({ step: next === steps ? LAST_STEP : next }), "switch");
  }

  return {
    shown,
    goTo,
    standing: () => ({ steps, step: step() }),
    /** The calculation has so many steps. @param {number} count */
    take(count) {
      steps = count;
    },
    /** A state in which one goes through the steps begins it too. @param {Readonly<S>} value */
    begin(value) {
      isWalked ||= value.step < LAST_STEP;
    },
    /** Another figure, or another step of this. @param {Partial<S>} patch @param {number} next */
    jump(patch, next) {
      isWalked = true;
      state.set(/** @type {Partial<S>} */ ({ ...patch, step: next }), "pick");
    },
    /** @param {KeyboardEvent} event */
    onKey(event) {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const isTaken = event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
      const isElsewhere =
        event.target instanceof Element && event.target.closest("input, select, textarea, [role=slider]");
      if (by === undefined || isTaken || isElsewhere) return;
      const next = step() + by;
      if (next < 1 || next > steps) return; // in a deck, the key goes on to the next slide
      event.preventDefault();
      goTo(next);
    },
  };
}
