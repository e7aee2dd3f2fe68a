/**
 * Makes a page slow in the ways of a machine that has other things to do, all of it from one seed: calls leave late and
 * their answers arrive late and out of order, frames come late, and now and then the main thread is busy. It runs before
 * quiet.js, which so waits for what is late.
 */
(() => {
  const seed = Number("SEED");
  const { performance } = window;
  const frame = window.requestAnimationFrame.bind(window);
  const timer = window.setTimeout.bind(window);
  const call = window.fetch.bind(window);

  let state = [...location.pathname].reduce((sum, sign) => Math.imul(sum, 31) + sign.charCodeAt(0), seed) >>> 0;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;

  /** Up to 400 ms, more often than not; a call that is called off waits no longer. @param {AbortSignal | undefined} signal */
  const pause = (signal) =>
    new Promise((resolve, reject) => {
      if (random() > 0.6) return resolve(null);
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
    frame((now) => void (random() < 0.15 ? timer(() => callback(performance.now()), random() * 90) : callback(now)));

  // Frozen, the page's clock would never reach the end of a loop; this one is the browser's, taken before any other.
  setInterval(() => {
    const end = performance.now() + 40 + random() * 110;
    if (random() < 0.25) while (performance.now() < end);
  }, 350);
})();
