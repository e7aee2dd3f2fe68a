/** Run a task at most once per animation frame, however often it is requested. */

/** Milliseconds after which no frame is waited for: a frame of a page that is off the screen, as in a deck, has none. */
const LONGEST = 400;

/** Tasks that have been asked for. @type {Set<() => void>} */
const waiting = new Set();

/**
 * @param {() => void} task
 * @returns {() => void}  schedules it for the next frame
 */
export function perFrame(task) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let late;
  const run = () => {
    if (!waiting.delete(run)) return;
    clearTimeout(late);
    task();
  };
  return () => {
    if (waiting.has(run)) return;
    waiting.add(run);
    requestAnimationFrame(run);
    late = setTimeout(run, LONGEST);
  };
}

/** Runs what waits for a frame, and what that asks for, now: paper waits for none. */
export function runWaiting() {
  for (let round = 0; round < 3 && waiting.size > 0; round++) for (const run of [...waiting]) run();
}
