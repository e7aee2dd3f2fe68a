/** The page's example buttons. */

import { need } from "../../base/dom.js";
import { examples } from "../state/examples.js";

/** @typedef {import("../state/examples.js").Example} Example */

/**
 * @param {Document} root
 * @param {Example} example
 * @returns {HTMLButtonElement}
 */
export function exampleButton(root, { id }) {
  return need(root, `#examples [data-example=${id}]`);
}

/**
 * @param {Document} root
 * @param {(example: Example) => void} onExample
 * @returns {(asked: Pick<import("../state/view_state.js").ViewState, "text" | "pair">) => void}  marks the one that is asked for
 */
export function bindExamples(root, onExample) {
  const choices = examples().map((example) => {
    const button = exampleButton(root, example);
    button.addEventListener("click", () => onExample(example));
    return { example, button };
  });
  need(root, "#examples").inert = false;
  return ({ text, pair }) => {
    for (const { example, button } of choices) {
      const isAsked = example.text === text && (example.pair ?? "") === pair;
      button.setAttribute("aria-pressed", String(isAsked));
    }
  };
}
