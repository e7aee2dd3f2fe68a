/** Keeps one view on one element: made when there is data, updated when the data differ, taken away when there is none. */

/**
 * A view draws data into an element and can be brought up to date or taken away.
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
 * A view that is drawn anew at every update, and leaves nothing behind.
 * @template D
 * @param {HTMLElement} element
 * @param {D} data
 * @param {(data: D) => void} draw
 * @param {() => void} [stop]  what else ends with it
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
 * @param {(keyof D)[]} [but]  what may differ, such as what is pointed at
 * @returns {boolean}
 */
export function differs(one, other, but = []) {
  const keys = /** @type {(keyof D)[]} */ (Object.keys(other));
  return keys.some((key) => !but.includes(key) && !isSame(one[key], other[key]));
}

/**
 * @template {object} D
 * @param {D | null} before  null: there was nothing, and all is new
 * @param {D} next
 * @returns {(...names: (keyof D)[]) => boolean}  whether any of these is another one
 */
export function changes(before, next) {
  return (...names) => before === null || names.some((name) => !isSame(before[name], next[name]));
}

/**
 * The same value, or a list of the same values (a range, the ends of a scale).
 * @param {unknown} one
 * @param {unknown} other
 * @returns {boolean}
 */
function isSame(one, other) {
  if (Object.is(one, other)) return true;
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  return one.every((item, index) => Object.is(item, other[index]));
}
