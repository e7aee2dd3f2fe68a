/** Take out of the browser's storages what the product keeps there. */

import { KEYS } from "../base/kept.js";

const OURS = "observatory-";

/**
 * Removes all of it, also what an older version has left under names of its own.
 * @param {Pick<Storage, "length" | "key" | "removeItem">} storage
 */
export function forgetAll(storage) {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "");
  for (const key of keys) if (key.startsWith(OURS)) storage.removeItem(key);
}

/** Empties the browser's storages. */
export function forgetHere() {
  for (const storage of [() => localStorage, () => sessionStorage]) {
    try {
      forgetAll(storage());
    } catch {
      // Storage may be forbidden: then nothing is kept there.
    }
  }
}

/** Leaves a note for the next page: a page may keep its draft as it is left. */
export function noteForgotten() {
  try {
    sessionStorage.setItem(KEYS.forgotten, "1");
  } catch {
    // Then nothing was kept.
  }
}
