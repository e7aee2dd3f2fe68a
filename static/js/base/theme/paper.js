/**
 * Paper: a page that is printed is laid out for it before the browser looks, at one width that fits every usual sheet
 * (`data-print` of the root element; the style sheets say how), and what is drawn to a measured size is drawn to that of
 * the paper. Afterwards it is a page of the screen again.
 *
 * Browsers lay a printed page out anew without telling those who watch sizes, and wait for nothing.
 */

import { runWaiting } from "../once_per_frame.js";

const NAME = "print";
/** Milliseconds after which a size is no longer waited for: where nothing is on the screen, as in a deck, none is told. */
const LONGEST = 500;

/** @type {Set<() => void>} */
const changing = new Set();
/** What is drawn to the size of an element; a picture that is gone is forgotten. @type {WeakMap<Element, Set<() => void>>} */
const drawings = new WeakMap();
/** @type {Set<WeakRef<Element>>} */
const measured = new Set();

/** @returns {boolean}  whether the page is laid out for paper */
export function isOnPaper() {
  return NAME in document.documentElement.dataset;
}

/**
 * Calls back when the page has become one for paper, and when it is one for the screen again; what is drawn only after
 * that is not printed.
 * @param {() => void} listener
 * @returns {() => void}  stops it
 */
export function onPaper(listener) {
  changing.add(listener);
  return () => void changing.delete(listener);
}

/**
 * Draws what depends on the size of an element: once it has one, whenever it changes, and for paper.
 * @param {Element} element
 * @param {() => void} draw
 * @returns {() => void}  stops it
 */
export function whenSized(element, draw) {
  const late = setTimeout(draw, LONGEST);
  const watcher = new ResizeObserver(() => {
    clearTimeout(late);
    draw();
  });
  watcher.observe(element);
  const own = drawings.get(element) ?? new Set();
  if (!drawings.has(element)) measured.add(new WeakRef(element));
  drawings.set(element, own.add(draw));
  return () => {
    clearTimeout(late);
    watcher.disconnect();
    own.delete(draw);
  };
}

/**
 * Lets a page be printed. One that is shown in another keeps the size that it has there.
 * @param {Document} root
 */
export function bindPaper(root) {
  const { dataset } = root.documentElement;
  addEventListener("beforeprint", () => {
    if (parent === window) dataset[NAME] = "";
    redraw();
  });
  addEventListener("afterprint", () => {
    delete dataset[NAME];
    redraw();
  });
}

function redraw() {
  for (const tell of [...changing]) tell();
  runWaiting();
  for (const reference of measured) {
    const element = reference.deref();
    if (!element) measured.delete(reference);
    else for (const draw of drawings.get(element) ?? []) draw();
  }
  runWaiting();
}
