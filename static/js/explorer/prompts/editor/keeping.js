/** Write something down a while after its last change, and when the page is left. */

/** Milliseconds after the last key: so long is not every letter written down. */
const KEEP_AFTER = 400;

/** @param {() => void} keep */
export function createKeeping(keep) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  function cancel() {
    clearTimeout(timer);
  }

  function now() {
    cancel();
    keep();
  }

  addEventListener("pagehide", now);
  return {
    later() {
      cancel();
      timer = setTimeout(now, KEEP_AFTER);
    },
    cancel,
    /** Whatever changed is written down once more. */
    stop() {
      if (timer !== undefined) now();
      removeEventListener("pagehide", now);
    },
  };
}
