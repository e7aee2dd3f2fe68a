/** The examples of the page, as buttons. */

import { el, fill, need } from "../../base/dom.js";
import { examples } from "../state/examples.js";

/** @typedef {import("../state/examples.js").Example} Example */

/**
 * @param {Document} root
 * @param {(example: Example) => void} onExample
 * @returns {(asked: Pick<import("../state/view_state.js").ViewState, "text" | "pair">) => void}  marks the one that is asked for
 */
export function bindExamples(root, onExample) {
  const choices = examples().map((example) => {
    const onclick = () => onExample(example);
    return { example, button: el("button", { type: "button", class: "preset", onclick }, example.name) };
  });
  fill(need(root, "#examples"), ...choices.map(({ button }) => button));
  return ({ text, pair }) => {
    for (const { example, button } of choices) {
      const isAsked = example.text === text && (example.pair ?? "") === pair;
      button.setAttribute("aria-pressed", String(isAsked));
    }
  };
}
