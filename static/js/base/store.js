/** Observable store: one immutable value that views share and subscribe to. */

/**
 * @template {object} T
 * @typedef {object} Store
 * @property {() => Readonly<T>} get
 * @property {(patch: Partial<T>, origin?: string) => void} set  notifies listeners only if something changed
 * @property {(listener: (value: Readonly<T>, changed: Set<keyof T>, origin: string) => void) => () => void} subscribe
 */

/**
 * @template {object} T
 * @param {T} initial
 * @returns {Store<T>}
 */
export function createStore(initial) {
  let value = Object.freeze({ ...initial });
  /** @type {Set<(value: Readonly<T>, changed: Set<keyof T>, origin: string) => void>} */
  const listeners = new Set();
  return {
    get: () => value,
    set(patch, origin = "set") {
      const keys = /** @type {(keyof T)[]} */ (Object.keys(patch));
      const changed = new Set(keys.filter((key) => !Object.is(value[key], patch[key])));
      if (changed.size === 0) return;
      value = Object.freeze({ ...value, ...patch });
      const told = value;
      for (const listener of [...listeners]) listener(told, changed, origin);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
