/**
 * Keys pressed in a frame: those that the page does not use go on to the page around it, so that a deck of slides can be
 * left with the keys that led to it.
 */

const TYPED_IN =
  "input:not([type]), input[type=text], input[type=search], input[type=number], textarea, [contenteditable]";
/** What turns pages of its own. */
const PAGED_IN = "textarea, select, [contenteditable]";
/** What arrow keys, Home and End change. */
const MOVED_IN = "input, select, [role=slider], [role=grid], [role=listbox], [role=tab], [role=radio]";
/** What Enter and the space bar press. */
const PRESSED =
  "a[href], button, summary, input, select, [role=button], [role=slider], [role=gridcell], [tabindex='0']";
const SCROLLS = new Set(["ArrowUp", "ArrowDown", "Home", "End", " "]);
const ALONE = new Set([
  "Shift",
  "Control",
  "Alt",
  "AltGraph",
  "Meta",
  "CapsLock",
  "Tab",
  "Dead",
  "Process",
  "Unidentified",
]);

/** @typedef {Pick<KeyboardEvent, "key" | "defaultPrevented" | "altKey" | "ctrlKey" | "metaKey" | "isComposing">} Pressed */

/**
 * Whether a key that was pressed in a frame is for the page around it. Escape is, wherever the focus is, and so are the
 * keys of a presenter's remote control, unless the page has used them.
 * @param {Pressed} pressed
 * @param {{matches: (selector: string) => boolean, doesScroll: boolean}} where  `matches`: the element with the focus, or one around it
 * @returns {boolean}
 */
export function isForHost({ key, defaultPrevented, altKey, ctrlKey, metaKey, isComposing }, { matches, doesScroll }) {
  if (defaultPrevented || altKey || ctrlKey || metaKey || isComposing || ALONE.has(key)) return false;
  if (key === "Escape") return true;
  if (key === "PageUp" || key === "PageDown") return !matches(PAGED_IN);
  if (matches(TYPED_IN)) return false;
  if ((key === " " || key === "Enter") && matches(PRESSED)) return false;
  if (matches("select") || (matches(MOVED_IN) && key.length > 1)) return false;
  return !(SCROLLS.has(key) && doesScroll);
}

/**
 * Passes keys on from a page that is inside another one: as `observatory:key` to any page, and to reveal.js in the words of its own API. To be called after all
 * others that listen to keys.
 * @param {Document} root
 */
export function passKeysOn(root) {
  addEventListener("keydown", (event) => {
    const target = event.target instanceof Element ? event.target : root.body;
    const { scrollHeight } = root.documentElement;
    const where = {
      matches: (/** @type {string} */ selector) => target.closest(selector) !== null,
      doesScroll: scrollHeight > innerHeight + 1,
    };
    if (root.querySelector("dialog[open]") || !isForHost(event, where)) return;
    event.preventDefault();
    if (event.key === "Escape" && target instanceof HTMLElement) target.blur(); // the next keys are the deck's
    for (const message of messagesOf(event)) parent.postMessage(message, "*");
  });
}

/**
 * @param {Pick<KeyboardEvent, "key" | "code" | "keyCode" | "shiftKey">} event
 * @returns {(object | string)[]}
 */
export function messagesOf({ key, code, keyCode, shiftKey }) {
  const own = { type: "observatory:key", key, code, shiftKey };
  // Of a key with Shift, reveal.js would take the one without it.
  return shiftKey ? [own] : [own, JSON.stringify({ method: "triggerKey", args: [keyCode] })];
}
