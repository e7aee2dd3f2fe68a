/** Segmented control: a few alternatives side by side, one chosen. */

import { el } from "../../base/dom.js";

/**
 * @template {string} T
 * @param {{name: string, legend: string, choices: readonly (readonly [T, string])[], onPick: (value: T) => void}} options
 */
export function segmented({ name, legend, choices, onPick }) {
  const inputs = choices.map(([value]) => el("input", { type: "radio", name, value, onchange: () => onPick(value) }));
  const labels = choices.map(([, label], index) => el("label", {}, inputs[index], el("span", {}, label)));
  const title = el("legend", { class: "visually-hidden" }, legend);
  return {
    element: el("fieldset", { class: "segmented" }, title, ...labels),
    /** @param {T} value */
    check(value) {
      for (const input of inputs) input.checked = input.value === value;
    },
  };
}
