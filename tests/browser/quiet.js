/**
 * Counts what a page will still do by itself, and tells when nothing is left: frames that were asked for, short timers,
 * calls on their way, bodies that are being read, and what says that it is busy. It runs before any script of the page,
 * so it has the browser's own timers even where a test replaces the page's clock. Event streams do not count, nor do
 * intervals.
 */
(() => {
  /** Milliseconds: a timer as long as this is no consequence of what was just done. */
  const SHORT = 500;
  /** Milliseconds: where a frame takes longer, as in a frame that is not shown, one looks without. */
  const FRAME = 100;

  if (window.untilQuiet) return;
  const { performance } = window;
  const frame = window.requestAnimationFrame.bind(window);
  const cancelFrame = window.cancelAnimationFrame.bind(window);
  const timer = window.setTimeout.bind(window);
  const cancelTimer = window.clearTimeout.bind(window);
  const whenIdle = window.requestIdleCallback.bind(window);
  const cancelIdle = window.cancelIdleCallback.bind(window);
  const call = window.fetch.bind(window);

  /** What is pending, each under a key of its own, in words. @type {Map<string | object, string>} */
  const pending = new Map();

  window.requestAnimationFrame = (callback) => {
    const id = frame((now) => void (pending.delete(`frame ${id}`) && callback(now)));
    pending.set(`frame ${id}`, `a frame for ${callback.name || "a function"}`);
    return id;
  };
  window.cancelAnimationFrame = (id) => {
    pending.delete(`frame ${id}`);
    cancelFrame(id);
  };

  window.setTimeout = (callback, milliseconds = 0, ...given) => {
    if (typeof callback !== "function" || milliseconds >= SHORT) return timer(callback, milliseconds, ...given);
    const run = () => {
      pending.delete(`timer ${id}`);
      callback(...given);
    };
    const id = timer(run, milliseconds);
    pending.set(`timer ${id}`, `a timer of ${milliseconds} ms for ${callback.name || "a function"}`);
    return id;
  };
  window.clearTimeout = (id) => {
    pending.delete(`timer ${id}`);
    cancelTimer(id);
  };

  window.requestIdleCallback = (callback, options) => {
    const run = (/** @type {IdleDeadline} */ deadline) => {
      pending.delete(`idle ${id}`);
      callback(deadline);
    };
    const id = whenIdle(run, options);
    pending.set(`idle ${id}`, `an idle moment for ${callback.name || "a function"}`);
    return id;
  };
  window.cancelIdleCallback = (id) => {
    pending.delete(`idle ${id}`);
    cancelIdle(id);
  };

  /** @template T @param {string} words @param {() => Promise<T>} work @returns {Promise<T>} */
  const during = async (words, work) => {
    const key = {};
    pending.set(key, words);
    try {
      return await work();
    } finally {
      pending.delete(key);
    }
  };
  window.fetch = (resource, options) =>
    during(`a call of ${resource instanceof Request ? resource.url : resource}`, () => call(resource, options));
  for (const read of ["arrayBuffer", "blob", "bytes", "formData", "json", "text"]) {
    const own = Response.prototype[read];
    if (!own) continue;
    Response.prototype[read] = function () {
      return during(`the body of ${this.url || "an answer"}`, () => own.call(this));
    };
  }

  const left = () => [
    ...pending.values(),
    ...(document.readyState === "loading" ? ["the rest of the document"] : []),
    ...Array.from(document.querySelectorAll("[aria-busy=true]"), ({ id, localName, className }) =>
      id ? `#${id} is busy` : `<${localName} class="${className}"> is busy`,
    ),
  ];

  /** What is left after so many milliseconds; nothing, and at once, where twice in a row nothing was. */
  window.untilQuiet = (/** @type {number} */ limit) =>
    new Promise((resolve) => {
      const end = performance.now() + limit;
      let quiet = 0;
      const next = () => {
        const rest = Math.max(0, end - performance.now());
        const late = timer(() => look(asked), Math.min(FRAME, rest));
        const asked = frame(() => look(0, late));
      };
      const look = (/** @type {number} */ asked, /** @type {number} */ late = 0) => {
        cancelFrame(asked);
        cancelTimer(late);
        const found = left();
        quiet = found.length > 0 ? 0 : quiet + 1;
        if (quiet === 2 || performance.now() >= end) resolve(found);
        else next();
      };
      next();
    });
})();
