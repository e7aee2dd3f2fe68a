/** Whether a set of prompts fits into the page's link. */

/** Characters of a set that a link holds, as they are written there; more are kept in the browser, or in a file. */
const MOST_IN_LINK = 12_000;

/** The texts of a set, by their names in the state. */
export const SET_TEXTS = /** @type {const} */ (["prompts", "template", "slots", "answers", "targets", "promptSystem"]);

/**
 * Whether the set is short enough to be part of the page's link.
 * @param {Readonly<Record<(typeof SET_TEXTS)[number], string>>} set
 */
export function isInLink(set) {
  return encodeURIComponent(SET_TEXTS.map((name) => set[name]).join("")).length <= MOST_IN_LINK;
}
