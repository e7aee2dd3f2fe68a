/** What the server tells while it goes on, and what it is told while the page is being left. */

/**
 * Follows events that the server sends. A lost connection is taken up again where it broke off, which is the browser's
 * own doing; `onLost` hears of it.
 * @param {string} stem
 * @param {{on: Record<string, (data: any) => void>, onOpen: () => void, onLost: (isForGood: boolean) => void}} listeners
 * @returns {() => void}  stops it
 */
export function followEvents(stem, { on, onOpen, onLost }) {
  const events = new EventSource(`/api/${stem}`);
  for (const [name, listener] of Object.entries(on)) {
    events.addEventListener(name, (event) => listener(JSON.parse(event.data)));
  }
  events.addEventListener("open", onOpen);
  events.addEventListener("error", () => onLost(events.readyState === EventSource.CLOSED));
  return () => events.close();
}

/**
 * Says something while the page is being left, when no answer can be waited for.
 * @param {string} stem
 */
export function sayLeaving(stem) {
  navigator.sendBeacon(`/api/${stem}`);
}
