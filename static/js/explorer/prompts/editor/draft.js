/** A set of prompts while it is edited: what is typed, whether it is the set that is shown, and what the browser keeps. */

import { t } from "../../../base/i18n.js";
import { EMPTY_SET } from "../../state/prompt_set.js";
import { nameOf } from "./kept_sets.js";

/** @typedef {import("../../state/prompt_set.js").SetText} SetText */

export class Draft {
  /** The set that is shown. */
  #shown;
  #typed;
  #isTemplate;
  #kept;
  /** Whether the browser keeps what is typed. */
  #isKept = true;

  /**
   * @param {SetText} shown
   * @param {import("./kept_draft.js").KeptDraft} kept
   */
  constructor(shown, kept) {
    const before = kept.find(shown);
    /** Whether there was one from before. */
    this.isFromBefore = before !== null;
    this.#shown = shown;
    this.#typed = before?.typed ?? shown;
    this.#isTemplate = before?.isTemplate ?? shown.template !== "";
    this.#kept = kept;
  }

  typed() {
    return this.#typed;
  }

  isTemplate() {
    return this.#isTemplate;
  }

  /** What is typed, of the kind that is chosen. @returns {SetText} */
  wanted() {
    if (this.#isTemplate) return { ...this.#typed, prompts: "" };
    const { pairing, distinct } = EMPTY_SET;
    return { ...this.#typed, template: "", slots: "", pairing, distinct };
  }

  /** @param {"lines" | "template"} kind */
  choose(kind) {
    this.#isTemplate = kind === "template";
  }

  /** @param {Partial<SetText>} fields */
  type(fields) {
    this.#typed = { ...this.#typed, ...fields };
  }

  /** @param {SetText} next @param {boolean} [asTemplate] @returns {SetText}  what is typed now */
  take(next, asTemplate = next.template !== "") {
    this.#typed = next;
    this.#isTemplate = asTemplate;
    return next;
  }

  /** What is shown is typed again. */
  discard() {
    return this.take(this.#shown);
  }

  /** Writes down what is typed, where it is not what is shown. @returns {boolean}  whether that began or ceased to work */
  keep() {
    const wasKept = this.#isKept;
    const draft = { of: nameOf(this.#shown), typed: this.#typed, isTemplate: this.#isTemplate };
    this.#isKept = this.#kept.keep(this.#isShown() ? null : draft);
    return this.#isKept !== wasKept;
  }

  /**
   * Another set is shown: after a step back, or a link. What is typed follows, unless it is that set, or was typed for it.
   * @param {SetText} next
   * @returns {boolean}  whether it followed
   */
  follow(next) {
    if (next === this.#shown) return false;
    const wasShown = this.#isShown();
    if (!wasShown) this.keep();
    this.#shown = next;
    const isOther = !this.#isShown();
    if (isOther) {
      const left = wasShown ? null : this.#kept.find(next);
      this.take(left?.typed ?? next, left?.isTemplate);
    }
    if (this.#isShown()) this.keep();
    return isOther;
  }

  /** Where what is typed is kept; "" if it is what is shown. */
  words() {
    if (this.#isShown()) return "";
    return this.#isKept
      ? t("Not averaged yet; what you typed is kept in this browser.")
      : t("This browser stores nothing for this page: save the set as a file before you leave.");
  }

  #isShown() {
    return JSON.stringify(this.#shown) === JSON.stringify({ ...this.#shown, ...this.wanted() });
  }
}
