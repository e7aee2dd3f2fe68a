/** How tokens are shown and heads taken together, for every view that draws weights. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/**
 * @typedef {object} OptionsData
 * @property {boolean} hide
 * @property {boolean} renormalise
 * @property {boolean} words
 * @property {boolean} mean
 * @property {number} heads  chosen, the first included
 * @property {OptionName[]} [offered]  all of them if not given
 * @property {string} [sums]  what rows add up to, where nothing else says it
 * @property {string} obstacle  why tokens cannot be hidden or merged; "" where they can
 */

/** @typedef {"hide" | "renormalise" | "words" | "mean"} OptionName */

/**
 * @param {HTMLElement} element
 * @param {OptionsData} data
 * @param {{onChange: (name: OptionName, value: boolean) => void}} options
 * @returns {import("../../api/types.js").View<OptionsData>}
 */
export function optionsView(element, data, { onChange }) {
  /**
   * @param {OptionName} name
   * @param {string} label
   */
  function check(name, label) {
    const input = el("input", { type: "checkbox", id: `option-${name}` });
    input.addEventListener("change", () => onChange(name, input.checked));
    const text = el("span", {}, label);
    return { input, text, label: el("label", { class: "check" }, input, text) };
  }

  const hide = check("hide", t("Hide special tokens"));
  const renormalise = check("renormalise", t("rows add up to 1 again"));
  const words = check("words", t("Whole words"));
  const mean = check("mean", "");
  const note = el("p", { class: "note" });
  const all = { hide, renormalise, words, mean };
  const labels = Object.values(all).map(({ label }) => label);
  fill(element, el("div", { class: "options", role: "group", "aria-label": t("Options") }, ...labels), note);

  /** @param {OptionsData} next */
  function draw(next) {
    for (const name of /** @type {OptionName[]} */ (Object.keys(all))) all[name].input.checked = next[name];
    for (const one of [hide, renormalise, words]) one.input.disabled = next.obstacle !== "";
    const { offered = /** @type {OptionName[]} */ (Object.keys(all)) } = next;
    for (const name of /** @type {OptionName[]} */ (Object.keys(all))) all[name].label.hidden = !offered.includes(name);
    if (!next.hide) renormalise.label.hidden = true;
    mean.input.disabled = next.heads < 2;
    mean.text.textContent =
      next.heads < 2 ? t("Mean of several heads (choose more)") : t("Mean of {count} heads", { count: next.heads });
    const remarks = [
      next.obstacle,
      next.sums,
      next.words && t("Weights to a word are summed over its tokens, weights from it averaged."),
    ];
    note.textContent = remarks.filter(Boolean).join(" ");
    note.hidden = note.textContent === "";
  }

  draw(data);
  return {
    update: draw,
    destroy() {
      element.replaceChildren();
    },
  };
}
