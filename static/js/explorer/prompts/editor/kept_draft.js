/** What was typed in the editor of prompts but not run yet, as this browser keeps it. */

import { KEYS } from "../../../base/kept.js";
import { asSet, nameOf } from "./kept_sets.js";

/** @typedef {import("../../state/prompt_set.js").SetText} SetText */

/**
 * @typedef {object} Typed
 * @property {string} of  the set that was shown, by its name
 * @property {SetText} typed
 * @property {boolean} isTemplate
 */

/** @param {() => Pick<Storage, "getItem" | "setItem" | "removeItem">} storage  throws where there is none */
export function createKeptDraft(storage = () => localStorage) {
  return {
    /**
     * Keeps what is typed, or forgets it.
     * @param {Typed | null} draft
     * @returns {boolean}  whether the browser stores it
     */
    keep(draft) {
      try {
        if (draft) storage().setItem(KEYS.promptDraft, JSON.stringify(draft));
        else storage().removeItem(KEYS.promptDraft);
        return true;
      } catch {
        return false;
      }
    },
    /**
     * What was typed while this set was shown.
     * @param {SetText} shown
     * @returns {Omit<Typed, "of"> | null}
     */
    find(shown) {
      try {
        const { of, typed, isTemplate } = JSON.parse(storage().getItem(KEYS.promptDraft) ?? "{}");
        const set = of === nameOf(shown) ? asSet(typed) : null;
        return set && { typed: set, isTemplate: isTemplate === true };
      } catch {
        return null;
      }
    },
  };
}

/** @typedef {ReturnType<typeof createKeptDraft>} KeptDraft */
