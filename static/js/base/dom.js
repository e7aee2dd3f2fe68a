/** Create and find elements. Text is inserted as text nodes only. */

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * An element with attributes and children; an `on…` attribute is a listener, `null` and `false` omit it.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean | null | undefined | EventListener>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  element.append(...nodes(children));
  return element;
}

/**
 * The same for SVG.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean | null | undefined | EventListener>} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(element, attributes);
  element.append(...nodes(children));
  return element;
}

/**
 * @param {Child} words
 * @param {EventListener | null} [onclick]
 * @param {Parameters<typeof el>[1]} [attributes]  further ones; a class takes the place of its own
 */
export const plainButton = (words, onclick = null, attributes = {}) =>
  el("button", { type: "button", class: "button", ...attributes, onclick }, words);

/** @type {typeof plainButton} */
export const smallButton = (words, onclick, attributes) =>
  plainButton(words, onclick, { class: "button is-small", ...attributes });

/**
 * The element a page must have; a missing one is a defect, so it throws.
 * @template {Element} [T=HTMLElement]
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {T}
 */
export function need(root, selector) {
  const element = root.querySelector(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return /** @type {T} */ (element);
}

/**
 * Replaces the children of an element.
 * @param {Element} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
}

/**
 * Sets an element's text; screen readers do not announce an unchanged text again.
 * @param {Element} element
 * @param {string} text
 */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Refills an element and restores the focus: to the element with the same key, or at the same index.
 * @param {HTMLElement} element
 * @param {() => void} refill
 */
export function keepingFocus(element, refill) {
  const controls = () => [...element.querySelectorAll("button, input, select")];
  const held = document.activeElement;
  const place = controls().findIndex((control) => control === held);
  const key = held?.getAttribute("data-key");
  refill();
  if (place < 0) return;
  const next = key ? element.querySelector(`[data-key="${key}"]`) : (controls()[place] ?? controls().at(-1));
  /** @type {HTMLElement | null | undefined} */ (next)?.focus();
}

/**
 * Scrolls a row, if it scrolls, so that one of its elements is in the middle; the page itself stays where it is.
 * @param {HTMLElement} item
 * @param {HTMLElement | null} [row]
 */
export function showInRow(item, row = item.parentElement) {
  if (!row || row.scrollWidth <= row.clientWidth) return;
  const [here, frame] = [item.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollLeft += here.left - frame.left - (frame.width - here.width) / 2;
}

/**
 * @param {Element} element
 * @param {Record<string, string | number | boolean | null | undefined | EventListener>} attributes
 */
function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * @param {Child[]} children
 * @returns {(Node | string)[]}
 */
function nodes(children) {
  return children
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (typeof child === "number" ? String(child) : /** @type {Node | string} */ (child)));
}
