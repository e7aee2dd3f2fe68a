/** Work that the first screen can do without. */

/** Milliseconds after which it is done where a browser does not say that it is idle. */
const PATIENCE = 100;

/** Runs a task when the browser has nothing else to do. @param {() => void} task */
export function whenIdle(task) {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(task);
  else setTimeout(task, PATIENCE);
}
