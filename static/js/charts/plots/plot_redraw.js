/** Draw a costly chart when it is in view, the newest version only, and leave the page time in between. */

/** A chart is drawn shortly before it comes into view. */
const AHEAD = "200px";
/** Of the time that a drawing takes, so much passes before the next, but not longer: the first time includes loading. */
const REST = 3;
const LONGEST_REST = 500;
/** Milliseconds after which a chart in a frame is drawn, seen or not: where no frame is on the screen, nothing is seen. */
const UNSEEN = 1000;

/**
 * @param {HTMLElement} element  busy (`aria-busy`) while it is drawn
 * @param {() => Promise<void>} draw
 */
export function createRedrawing(element, draw) {
  let [version, drawnVersion] = [0, -1];
  let [isInView, isOver] = [false, false];
  /** @type {Promise<void> | null} */
  let drawing = null;
  const late = parent === window ? undefined : setTimeout(see, UNSEEN);
  const seeing = new IntersectionObserver(
    (entries) => {
      clearTimeout(late);
      isInView = entries[entries.length - 1].isIntersecting;
      refresh();
    },
    { rootMargin: AHEAD },
  );
  seeing.observe(element);

  function see() {
    isInView = true;
    refresh();
  }

  function refresh() {
    if (isInView) void drawn();
  }

  /** @returns {Promise<void>}  until the newest is drawn, in view or not */
  function drawn() {
    if (drawing) return drawing;
    if (drawnVersion === version || isOver) return Promise.resolve();
    drawing = drawNewest().finally(() => (drawing = null));
    return drawing;
  }

  async function drawNewest() {
    element.setAttribute("aria-busy", "true");
    while (drawnVersion !== version && !isOver) {
      const [mine, began] = [version, performance.now()];
      await draw();
      drawnVersion = mine;
      const rest = Math.min(REST * (performance.now() - began), LONGEST_REST);
      if (mine !== version) await new Promise((done) => setTimeout(done, rest));
    }
    element.setAttribute("aria-busy", "false");
  }

  return {
    redraw() {
      version++;
      refresh();
    },
    drawn,
    isOver: () => isOver,
    stop() {
      isOver = true;
      clearTimeout(late);
      seeing.disconnect();
    },
  };
}
