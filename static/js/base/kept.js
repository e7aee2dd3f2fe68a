/**
 * What the product keeps in a browser: all keys of its storages, named in one place, so that all can be forgotten. On a
 * host that others share, such as JupyterHub, the rest of the storage is theirs.
 */

/** `first_paint.js`, which imports nothing, names two of them itself. */
export const KEYS = Object.freeze({
  theme: "observatory-theme",
  lead: "observatory-lead",
  pins: "observatory-pins",
  promptSets: "observatory-prompt-sets",
  promptDraft: "observatory-prompt-draft",
  models: "observatory-models",
  exercises: "observatory-exercises",
  coursePlace: "observatory-course-place",
  /** That the key P does not present. */
  noPresentKey: "observatory-no-present-key",
  /** And which of the frames of a deck. */
  frame: "observatory-frame",
  /** Of the visit in which everything was forgotten, for the page that comes next. */
  forgotten: "observatory-forgotten",
});
const OURS = "observatory-";

/**
 * Removes all of it, also what an older version has left under names of its own.
 * @param {Pick<Storage, "length" | "key" | "removeItem">} storage
 */
export function forgetAll(storage) {
  const keys = Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? "");
  for (const key of keys) if (key.startsWith(OURS)) storage.removeItem(key);
}

/** Empties the browser's storages, and leaves a note for the next page: a page may keep its draft as it is left. */
export function forgetHere() {
  forgetIn(() => localStorage);
  forgetIn(() => sessionStorage);
  try {
    sessionStorage.setItem(KEYS.forgotten, "1");
  } catch {
    // Storage may be forbidden: then nothing was kept.
  }
}

/**
 * Forgets what the page before has kept as it was left.
 * @returns {boolean}  whether everything was forgotten there
 */
export function wasForgotten() {
  try {
    if (sessionStorage.getItem(KEYS.forgotten) === null) return false;
  } catch {
    return false;
  }
  forgetIn(() => localStorage);
  forgetIn(() => sessionStorage);
  return true;
}

/** @param {() => Storage} storage  throws where it is forbidden */
function forgetIn(storage) {
  try {
    forgetAll(storage());
  } catch {
    // Then nothing is kept there.
  }
}
