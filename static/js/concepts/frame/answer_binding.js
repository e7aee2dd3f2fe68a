/** Request a page's answers as its state changes; show a failure, and mark the control that caused it. */

import { createAnswers } from "./latest_answer.js";
import { el, need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { failureView } from "../../page/failure.js";
import { mount } from "../../base/mount.js";

/**
 * @template {import("./concept.js").Types} T
 * @param {import("./concept.js").Page<T>} page
 * @returns {(value: Readonly<T["state"]>) => import("./latest_answer.js").Told<T["state"]>}
 */
export function bindAnswers({ root, concept, schedule }) {
  /** @type {ReturnType<typeof createAnswers<T["state"]>>} */
  const answers = createAnswers(schedule);
  const say = createSaying(root);
  return (value) => {
    const told = answers.ask(callsOf(concept, value), value);
    say(told);
    return told;
  };
}

/**
 * The calls of a state.
 * @template {import("./concept.js").Types} T
 * @param {import("./concept.js").Parts<T>} concept
 * @param {Readonly<T["state"]>} value
 * @returns {import("../../api/types.js").Call[]}
 */
export function callsOf(concept, value) {
  if (concept.source) return [];
  return concept.calls?.(value) ?? [ownCall(concept, value), ...(concept.also?.(value) ?? [])];
}

/**
 * @template {import("./concept.js").Types} T
 * @param {import("./concept.js").Parts<T>} concept
 * @param {Readonly<T["state"]>} value
 */
export function ownCall({ stem, request }, value) {
  return /** @type {import("../../api/types.js").Call<T["stem"]>} */ ({ stem, body: request(value) });
}

/**
 * @param {Document} root
 * @returns {(told: Omit<import("./latest_answer.js").Told<unknown>, "answers">) => void}
 */
function createSaying(root) {
  const show = mount(need(root, "#problem"), failureView, {});
  /** @type {unknown} */
  let said = null;
  const still = el("p", { class: "note concept-still", hidden: true });
  need(root, "#problem").after(still);
  return ({ problem, failure, state }) => {
    show(failure);
    still.hidden = problem === null || state === null;
    still.textContent = t("The view below is still the previous one.");
    if (problem === said) return;
    said = problem;
    for (const control of root.querySelectorAll("[data-refused]")) {
      control.removeAttribute("data-refused");
      control.removeAttribute("aria-invalid");
    }
    need(root, "#concept").toggleAttribute("data-stale", problem !== null);
    const { field = null } = /** @type {{field?: string | null}} */ (problem ?? {});
    const refused = field && fieldElement(root, field);
    if (refused) {
      refused.setAttribute("data-refused", "");
      if (refused.matches("input, select, textarea")) refused.setAttribute("aria-invalid", "true");
    }
  };
}

/**
 * The control of the field that the API names: of `queries.2.1` that of the cell, else of `queries.2`, else of `queries`;
 * of `texts.0.word` that of every text's `word`, if there is one.
 * @param {Document} root
 * @param {string} field
 * @returns {Element | null}
 */
function fieldElement(root, field) {
  const parts = field.split(".");
  const names = parts.map((_, index) => parts.slice(0, parts.length - index).join("."));
  const controls = [names[0], parts.at(-1) ?? "", ...names.slice(1)].map((name) => {
    const escaped = CSS.escape(name);
    return root.querySelector(`[data-field="${escaped}"], [data-bind="${escaped}"]`);
  });
  return controls.find(Boolean) ?? null;
}
