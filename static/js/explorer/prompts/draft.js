/** A set of prompts while it is edited: what is typed, whether it is the set that is shown, and what the browser keeps. */

import { t } from "../../base/i18n.js";
import { EMPTY_SET } from "../state/prompt_set.js";
import { nameOf } from "./kept_sets.js";

/** @typedef {import("../state/prompt_set.js").SetText} SetText */

/**
 * @param {SetText} set  the one that is shown
 * @param {Pick<import("./kept_sets.js").KeptSets, "draftOf" | "keepDraft">} kept
 */
export function createDraft(set, kept) {
  let shown = set;
  const before = kept.draftOf(set);
  let typed = before?.typed ?? set;
  let isTemplate = before?.isTemplate ?? set.template !== "";
  /** Whether the browser keeps what is typed. */
  let isKept = true;

  /** What is typed, of the kind that is chosen. */
  const wanted = () =>
    isTemplate
      ? { ...typed, prompts: "" }
      : { ...typed, template: "", slots: "", pairing: EMPTY_SET.pairing, distinct: EMPTY_SET.distinct };
  const isShown = () => JSON.stringify(shown) === JSON.stringify({ ...shown, ...wanted() });

  /** @param {SetText} next @param {boolean} [asTemplate] */
  function take(next, asTemplate = next.template !== "") {
    typed = next;
    isTemplate = asTemplate;
  }

  /** Writes down what is typed, where it is not what is shown. @returns {boolean}  whether that began or ceased to work */
  function keep() {
    const wasKept = isKept;
    isKept = kept.keepDraft(isShown() ? null : { of: nameOf(shown), typed, isTemplate });
    return isKept !== wasKept;
  }

  return {
    /** Whether there was one from before. */
    isFromBefore: before !== null,
    wanted,
    take,
    keep,
    typed: () => typed,
    isTemplate: () => isTemplate,
    /** @param {"lines" | "template"} kind */
    choose(kind) {
      isTemplate = kind === "template";
    },
    /** @param {Partial<SetText>} fields */
    type(fields) {
      typed = { ...typed, ...fields };
    },
    discard: () => take(shown),
    /**
     * Another set is shown: after a step back, or a link. What is typed follows, unless it is that set, or was typed for it.
     * @param {SetText} next
     * @returns {boolean}  whether it followed
     */
    follow(next) {
      if (next === shown) return false;
      const wasShown = isShown();
      if (!wasShown) keep();
      shown = next;
      const isOther = !isShown();
      if (isOther) {
        const left = wasShown ? null : kept.draftOf(next);
        take(left?.typed ?? next, left?.isTemplate);
      }
      if (isShown()) keep();
      return isOther;
    },
    /** Where what is typed is kept; "" if it is what is shown. */
    words() {
      if (isShown()) return "";
      return isKept
        ? t("Not averaged yet; what you typed is kept in this browser.")
        : t("This browser stores nothing for this page: save the set as a file before you leave.");
    },
  };
}
