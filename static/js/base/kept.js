/**
 * What the product keeps in a browser: all keys of its storages, named in one place, so that all can be forgotten. On a
 * host that others share, such as JupyterHub, the rest of the storage is theirs.
 */

/** `first_paint.js`, which imports nothing, names two of them itself. */
export const KEYS = {
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
};
