/**
 * The notebook around a page in a frame. It has no address of ours, so nothing can be fetched: the page and the cell's
 * output send each other messages, `{type: "observatory:…", …}`.
 */

/** @typedef {{type: string, [name: string]: unknown}} Message */

/**
 * @typedef {object} Host
 * @property {(message: Message) => void} tell
 * @property {(type: string, listener: (message: Message) => void) => void} listen
 */

/** What the cell's output writes into the page before it is shown, `data-host` of the root element. */
const NOTEBOOK = "notebook";

/**
 * The notebook that shows this page; null where none does.
 * @param {Document} root
 * @param {Window} [own]
 * @returns {Host | null}
 */
export function hostOf(root, own = window) {
  if (root.documentElement.dataset.host !== NOTEBOOK) return null;
  /** @type {Map<string, (message: Message) => void>} */
  const listeners = new Map();
  own.addEventListener("message", ({ source, data }) => {
    if (source === own.parent) listeners.get(data?.type)?.(data);
  });
  return {
    // The notebook's origin is anything, as that of this page is: whoever made the page is its parent.
    tell: (message) => own.parent.postMessage(message, "*"),
    listen: (type, listener) => void listeners.set(type, listener),
  };
}
