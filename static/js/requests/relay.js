/**
 * The way to the server: directly or, from a page in a notebook, through the notebook, whose kernel asks it. Answers are
 * the same, so that nobody else need know.
 */

import { placed } from "../base/place.js";

/** @typedef {(path: string, options: RequestInit) => Promise<Response>} Send */

const NO_CONTENT = 204;

/** @type {Send} */
let way = (path, options) => fetch(placed(path), options);

/** @param {Send} relay  takes all further requests */
export function sendThrough(relay) {
  way = relay;
}

/** @type {Send} */
export const send = (path, options) => way(path, options);

/**
 * @param {import("../base/host.js").Host} host
 * @returns {Send}  rejects as `fetch` does: where no answer can be had, and when it is given up
 */
export function createRelay(host) {
  /** @type {Map<number, (answer: Response | null) => void>} */
  const waiting = new Map();
  let last = 0;

  host.listen("observatory:response", ({ id, status, retryAfter, body }) => {
    const settle = waiting.get(Number(id));
    waiting.delete(Number(id));
    settle?.(status === 0 ? null : responseOf(Number(status), retryAfter, /** @type {BufferSource} */ (body)));
  });

  return (path, { method = "GET", body = null, signal, headers }) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const id = ++last;
      const giveUp = () => {
        waiting.delete(id);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", giveUp, { once: true });
      waiting.set(id, (answer) => {
        signal?.removeEventListener("abort", giveUp);
        if (answer) resolve(answer);
        else reject(new TypeError("no answer"));
      });
      const language = new Headers(headers).get("Accept-Language");
      host.tell({ type: "observatory:request", id, method, path, body, language });
    });
}

/**
 * @param {number} status
 * @param {unknown} retryAfter
 * @param {BufferSource} body
 */
function responseOf(status, retryAfter, body) {
  const headers = typeof retryAfter === "string" ? { "Retry-After": retryAfter } : undefined;
  return new Response(status === NO_CONTENT ? null : body, { status, headers });
}
