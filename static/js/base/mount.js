/** Mount a view on an element: created when there is data, updated when the data change, destroyed when there is none. */

/**
 * A view draws data into an element and can be updated or destroyed.
 * @template T
 * @typedef {{update: (data: T) => void, destroy: () => void}} View
 */

/**
 * @template {object} D
 * @typedef {((data: D | null) => void) & {patch: (change: (shown: D) => Partial<D>) => void}} Mounted  `patch` changes
 *   some of the data of a view that is there
 */

/**
 * @template {object} D, O
 * @param {HTMLElement} element
 * @param {(element: HTMLElement, data: D, options: O) => View<D>} make
 * @param {O} options
 * @returns {Mounted<D>}
 */
export function mount(element, make, options) {
  /** @type {View<D> | null} */
  let view = null;
  /** @type {D | null} */
  let shown = null;
  /** @param {D | null} data */
  function show(data) {
    if (data === null) view?.destroy();
    else if (view === null || shown === null) view = make(element, data, options);
    else if (differs(shown, data)) view.update(data);
    if (data === null) view = null;
    shown = data;
  }
  return Object.assign(show, {
    /** @param {(shown: D) => Partial<D>} change */
    patch(change) {
      if (shown !== null) show({ ...shown, ...change(shown) });
    },
  });
}

/**
 * A view that redraws completely at every update and leaves nothing behind when destroyed.
 * @template D
 * @param {HTMLElement} element
 * @param {D} data
 * @param {(data: D) => void} draw
 * @param {() => void} [stop]  called when it is destroyed
 * @returns {View<D>}
 */
export function drawnView(element, data, draw, stop = () => {}) {
  draw(data);
  return {
    update: draw,
    destroy() {
      stop();
      element.replaceChildren();
    },
  };
}

/**
 * @template {object} D
 * @param {D} one
 * @param {D} other
 * @param {(keyof D)[]} [but]  fields to ignore, such as the hovered cell
 * @returns {boolean}
 */
export function differs(one, other, but = []) {
  const keys = /** @type {(keyof D)[]} */ (Object.keys(other));
  return keys.some((key) => !but.includes(key) && !isSame(one[key], other[key]));
}

/**
 * @template {object} D
 * @param {D | null} before  null: everything is new
 * @param {D} next
 * @returns {(...names: (keyof D)[]) => boolean}  whether any of these fields changed
 */
export function changes(before, next) {
  return (...names) => before === null || names.some((name) => !isSame(before[name], next[name]));
}

/**
 * Whether both are the same value, or lists of the same values (a range, the limits of a scale).
 * @param {unknown} one
 * @param {unknown} other
 * @returns {boolean}
 */
function isSame(one, other) {
  if (Object.is(one, other)) return true;
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  return one.every((item, index) => Object.is(item, other[index]));
}
