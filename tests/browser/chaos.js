/**
 * Makes a page slow in the ways of a machine that has other things to do, all of it from one seed: calls leave late and
 * their answers arrive late and out of order, frames come late, and now and then the main thread is busy. It runs before
 * quiet.js, which so waits for what is late. Where a test moves the page's clock, nothing is slow: minutes pass there in
 * a moment, and an answer that is late by the browser's clock would be late by minutes.
 */
(() => {
  const seed = Number("SEED");
  const { performance } = window;
  const frame = window.requestAnimationFrame.bind(window);
  const timer = window.setTimeout.bind(window);
  const call = window.fetch.bind(window);

  let state = [...location.pathname].reduce((sum, sign) => Math.imul(sum, 31) + sign.charCodeAt(0), seed) >>> 0;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const happens = (/** @type {number} */ often) => random() < often && !window.isClockMoved;

  /** Up to 400 ms, more often than not; a call that is called off waits no longer. @param {AbortSignal | undefined} signal */
  const pause = (signal) =>
    new Promise((resolve, reject) => {
      if (!happens(0.6)) return resolve(null);
      timer(resolve, random() * 400);
      const callOff = () => reject(signal?.reason);
      if (signal?.aborted) callOff();
      signal?.addEventListener("abort", callOff, { once: true });
    });
  window.fetch = async (resource, options) => {
    const signal = options?.signal ?? (resource instanceof Request ? resource.signal : undefined);
    await pause(signal);
    const answer = await call(resource, options);
    await pause(signal);
    return answer;
  };

  window.requestAnimationFrame = (callback) =>
    frame((now) => void (happens(0.15) ? timer(() => callback(performance.now()), random() * 90) : callback(now)));

  setInterval(() => {
    const end = performance.now() + 40 + random() * 110;
    if (happens(0.25)) while (performance.now() < end);
  }, 350);
})();
