/** Whether a set of prompts fits into the page's link. */

/** Characters of a set that a link holds, as they are written there; more are for a file. */
const MOST_IN_LINK = 12_000;

/**
 * Whether the set is short enough to be part of the page's link.
 * @param {Pick<import("./prompt_set.js").SetText, "prompts" | "template" | "slots">} typed
 */
export function isInLink({ prompts, template, slots }) {
  return encodeURIComponent(prompts + template + slots).length <= MOST_IN_LINK;
}
