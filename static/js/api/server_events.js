/** Server-sent events. */

import { placed } from "../base/place.js";
import { noteRequest } from "../requests/sent_requests.js";
import { MOST_ATTEMPTS, waitAfter } from "../requests/retry_policy.js";

/**
 * Follows events that the server sends. A cut connection is taken up where it broke off, first by the browser itself;
 * where that fails, later and later.
 * @template {Record<string, object>} E  what comes with each kind of event
 * @param {string} stem
 * @param {object} listeners
 * @param {{[K in keyof E]: (data: E[K]) => void}} listeners.on
 * @param {() => void} listeners.onOpen
 * @param {(retryAt: number | null) => void} listeners.onLost  when it is tried next (`performance.now()`); null: now
 * @param {() => number} listeners.last  the last step that is known
 * @returns {() => void}  stops it
 */
export function followEvents(stem, { on, onOpen, onLost, last }) {
  let failures = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let events = open();
  addEventListener("online", now);

  function open() {
    const path = `/api/${stem}${failures === 0 ? "" : `?after=${last()}`}`;
    const mine = new EventSource(placed(path));
    for (const [name, listener] of Object.entries(on)) {
      mine.addEventListener(name, (event) => {
        const data = JSON.parse(event.data);
        noteRequest(data, { method: "GET", path, body: null });
        listener(data);
      });
    }
    mine.addEventListener("open", () => {
      failures = 0;
      onOpen();
    });
    mine.addEventListener("error", () => lose(mine));
    return mine;
  }

  /** @param {EventSource} mine */
  function lose(mine) {
    failures += 1;
    // Its own first attempt knows best where it broke off; it would repeat it every second.
    if (failures === 1 && mine.readyState !== EventSource.CLOSED) return onLost(null);
    mine.close();
    const wait = waitAfter(Math.min(failures, MOST_ATTEMPTS - 1), UNREACHABLE, Math.random()) ?? 0;
    clearTimeout(timer);
    timer = setTimeout(now, wait);
    onLost(performance.now() + wait);
  }

  function now() {
    if (failures < 2 && events.readyState !== EventSource.CLOSED) return;
    clearTimeout(timer);
    events.close();
    events = open();
  }

  return () => {
    clearTimeout(timer);
    removeEventListener("online", now);
    events.close();
  };
}

const UNREACHABLE = { code: "unreachable" };
