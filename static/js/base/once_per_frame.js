/** Run a task at most once per animation frame, however often it is requested. */

/**
 * @param {() => void} task
 * @returns {() => void}  schedules it for the next frame
 */
export function perFrame(task) {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      task();
    });
  };
}
