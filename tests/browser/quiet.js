/**
 * Counts what a page will still do by itself, and tells when nothing is left: frames that were asked for, short timers,
 * calls on their way, bodies that are being read, and what says that it is busy. It runs before any script of the page,
 * so it has the browser's own timers even where a test replaces the page's clock; `countFromHere` is called after that.
 * Event streams do not count, nor do intervals.
 */
(() => {
  /** Milliseconds: a timer as long as this is no consequence of what was just done. */
  const SHORT = 500;
  /** Milliseconds: where a frame takes longer, as in a frame that is not shown, one looks without. */
  const FRAME = 100;

  if (window.untilQuiet) return;
  const { performance, requestAnimationFrame, cancelAnimationFrame, setTimeout, clearTimeout, fetch } = window;

  /** What is pending, each under a key of its own, in words. @type {Map<string | object, string>} */
  const pending = new Map();
  let layers = 0;

  /** Let what is asked for through the functions that stand here now be counted, and no longer what lies below them. */
  window.countFromHere = () => {
    const layer = ++layers;

    /**
     * @param {"requestAnimationFrame" | "requestIdleCallback" | "setTimeout"} ask
     * @param {"cancelAnimationFrame" | "cancelIdleCallback" | "clearTimeout"} cancel
     * @param {(name: string, milliseconds?: number) => string} words  none for what does not count
     */
    const count = (ask, cancel, words) => {
      const [own, ownCancel] = [window[ask].bind(window), window[cancel].bind(window)];
      window[ask] = (callback, ...given) => {
        const said = typeof callback === "function" && words(callback.name || "a function", ...given);
        if (!said || layer < layers) return own(callback, ...given);
        const id = own((...told) => pending.delete(key(id)) && callback(...told), ...given);
        pending.set(key(id), said);
        return id;
      };
      const key = (/** @type {number} */ id) => `${ask} ${layer}.${id}`;
      window[cancel] = (id) => {
        pending.delete(key(id));
        ownCancel(id);
      };
    };
    count("requestAnimationFrame", "cancelAnimationFrame", (name) => `a frame for ${name}`);
    count("requestIdleCallback", "cancelIdleCallback", (name) => `an idle moment for ${name}`);
    count("setTimeout", "clearTimeout", (name, milliseconds = 0) =>
      milliseconds < SHORT ? `a timer of ${milliseconds} ms for ${name}` : "",
    );
  };
  window.countFromHere();

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
    during(`a call of ${resource instanceof Request ? resource.url : resource}`, () =>
      fetch.call(window, resource, options),
    );
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
        const late = setTimeout(() => look(asked), Math.min(FRAME, rest));
        const asked = requestAnimationFrame(() => look(0, late));
      };
      const look = (/** @type {number} */ asked, /** @type {number} */ late = 0) => {
        cancelAnimationFrame(asked);
        clearTimeout(late);
        const found = left();
        quiet = found.length > 0 ? 0 : quiet + 1;
        if (quiet === 2 || performance.now() >= end) resolve(found);
        else next();
      };
      next();
    });
})();
