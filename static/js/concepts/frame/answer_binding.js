/** The server's answers in the frame of a concept: asked for as the state moves, a problem said where it arose. */

import { createAnswers } from "./latest_answer.js";
import { el, need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { failureView } from "../../page/failure.js";
import { mount } from "../../base/mount.js";

/**
 * @template {import("./concept.js").CommonState} S
 * @param {import("./concept.js").Page<S>} page
 * @returns {(value: Readonly<S>) => import("./latest_answer.js").Told<S>}
 */
export function bindAnswers({ root, concept, schedule }) {
  /** @type {ReturnType<typeof createAnswers<S>>} */
  const answers = createAnswers(schedule);
  const say = createSaying(root);
  return (value) => {
    const told = answers.ask(callsOf(concept, value), value);
    say(told);
    return told;
  };
}

/**
 * What the page asks for a state.
 * @template {import("./concept.js").CommonState} S
 * @param {import("./concept.js").Concept<S>} concept
 * @param {Readonly<S>} value
 * @returns {import("./latest_answer.js").Call[]}
 */
export function callsOf({ stem, source, calls, request, also }, value) {
  if (source) return [];
  return calls?.(value) ?? [{ stem, body: request(value) }, ...(also?.(value) ?? [])];
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
    still.textContent = t("The view below is still the previous one.");
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
