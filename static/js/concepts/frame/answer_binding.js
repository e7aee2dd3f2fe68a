/** The server's answers in the frame of a concept: asked for as the state moves, a problem said where it arose. */

import { createAnswers } from "./latest_answer.js";
import { el, need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { failureView } from "../../page/failure.js";
import { mount } from "../../base/mount.js";

/**
 * @template {import("./frame.js").CommonState} S
 * @param {Document} root
 * @param {import("./frame.js").Concept<S>} concept
 * @param {() => void} onChange
 * @returns {(value: Readonly<S>) => import("./latest_answer.js").Told<S>}
 */
export function bindAnswers(root, concept, onChange) {
  /** @type {ReturnType<typeof createAnswers<S>>} */
  const answers = createAnswers(onChange);
  const compare = root.querySelector("#compare");
  if (compare instanceof HTMLElement) compare.hidden = true;
  const say = createSaying(root);
  return (value) => {
    const calls = [{ stem: concept.stem, body: concept.request(value) }, ...(concept.also?.(value) ?? [])];
    const told = answers.ask(calls, value);
    say(told);
    return told;
  };
}

/**
 * @param {Document} root
 * @returns {(told: Pick<import("./latest_answer.js").Told<any>, "problem" | "failure" | "state">) => void}
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
    still.textContent = t("What stands below is still the picture before.");
    if (problem === said) return;
    said = problem;
    for (const one of root.querySelectorAll("[data-refused]")) {
      one.removeAttribute("data-refused");
      one.removeAttribute("aria-invalid");
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
 * The nearest control of what the API names: `queries.2.1`, else `queries.2`, else `queries`.
 * @param {Document} root
 * @param {string} field
 * @returns {Element | null}
 */
function fieldElement(root, field) {
  const parts = field.split(".");
  for (let length = parts.length; length > 0; length -= 1) {
    const name = CSS.escape(parts.slice(0, length).join("."));
    const found = root.querySelector(`[data-field="${name}"], [data-bind="${name}"]`);
    if (found) return found;
  }
  return null;
}
