/** Work that a frame needs once, however often it is asked for. */

/**
 * @param {() => void} task
 * @returns {() => void}  asks for it in the next frame
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
