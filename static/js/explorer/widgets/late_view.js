/** A view that the first screen can do without: its modules are loaded once the page is idle; until then it has its place. */

import { whenIdle } from "../../base/idle.js";

/**
 * @template M, D
 * @param {() => Promise<M>} load
 * @param {(module: M) => (data: D) => void} begin  what shows data, once the module is there
 * @param {() => void} onLoaded  draws again
 * @returns {(data: D) => void}
 */
export function lateView(load, begin, onLoaded) {
  /** @type {((data: D) => void) | null} */
  let show = null;
  let isAsked = false;

  async function start() {
    const module = await load().catch(() => null);
    isAsked = module !== null; // else the next drawing asks again
    if (!module) return;
    show = begin(module);
    onLoaded();
  }

  return (data) => {
    if (show) return show(data);
    if (isAsked) return;
    isAsked = true;
    whenIdle(() => void start());
  };
}

/**
 * A late view that most visits never see: nothing of it is loaded before there is something to show in it.
 * @template M, D
 * @param {() => Promise<M>} load
 * @param {(module: M) => (data: D | null) => void} begin
 * @param {() => void} onLoaded
 * @returns {(data: D | null) => void}
 */
export function viewOnDemand(load, begin, onLoaded) {
  const show = lateView(load, begin, onLoaded);
  let isNeeded = false;
  return (data) => {
    isNeeded ||= data !== null;
    if (isNeeded) show(data);
  };
}
