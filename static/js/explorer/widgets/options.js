/** Options for every view of weights: hide special tokens, merge words, average heads. */

import { el, fill } from "../../base/dom.js";
import { sentences, t } from "../../base/i18n.js";
import { drawnView, mount } from "../../base/mount.js";

/** @typedef {import("../state/view_state.js").ViewState} ViewState */
/** @typedef {"hide" | "renormalise" | "words" | "mean"} OptionName */

/**
 * @typedef {object} About  what the options are of
 * @property {number} [heads]  chosen, the first included
 * @property {string} [sums]  what rows add up to, where nothing else says it
 * @property {string} [obstacle]  why tokens cannot be hidden or merged; "" where they can
 */

/** @typedef {Pick<ViewState, OptionName> & About} OptionsData */

/** @type {readonly OptionName[]} */
const ALL = ["hide", "renormalise", "words", "mean"];

/**
 * The options that a panel offers, bound to the state.
 * @param {import("../../base/store.js").Store<ViewState>} state
 * @param {{box?: HTMLElement, offered?: readonly OptionName[]}} [options]
 */
export function createOptions(state, { box = el("div"), offered = ALL } = {}) {
  const show = mount(box, optionsView, {
    offered,
    onChange(/** @type {OptionName} */ name, /** @type {boolean} */ value) {
      show.patch(() => ({ [name]: value })); // as it stands; if it is taken back before the next frame, that is drawn
      state.set({ [name]: value }, "switch");
    },
  });
  return {
    box,
    /**
     * @param {ViewState} value
     * @param {About} [about]
     */
    show({ hide, renormalise, words, mean }, about = {}) {
      show({ hide, renormalise, words, mean, heads: 1, sums: "", obstacle: "", ...about });
    },
    clear: () => show(null),
  };
}

/** What rows add up to, where columns are hidden. @param {ViewState} value */
export function sumsNote({ hide, renormalise }) {
  return hide && !renormalise ? t("Hidden columns keep their share: rows add up to less than 1.") : "";
}

/**
 * @param {HTMLElement} element
 * @param {OptionsData} data
 * @param {{onChange: (name: OptionName, value: boolean) => void, offered?: readonly OptionName[]}} options
 * @returns {import("../../base/mount.js").View<OptionsData>}
 */
function optionsView(element, data, { onChange, offered = ALL }) {
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
  const boxes = { hide, renormalise, words, mean };
  const labels = Object.values(boxes).map(({ label }) => label);
  fill(element, el("div", { class: "options", role: "group", "aria-label": t("Options") }, ...labels), note);

  /** @param {OptionsData} next */
  function draw(next) {
    const { heads = 1, sums, obstacle = "" } = next;
    for (const name of ALL) {
      boxes[name].input.checked = next[name];
      boxes[name].input.disabled = name === "mean" ? heads < 2 : obstacle !== "";
      boxes[name].label.hidden = !offered.includes(name);
    }
    if (!next.hide) renormalise.label.hidden = true;
    mean.text.textContent =
      heads < 2 ? t("Mean of several heads (choose more)") : t("Mean of {count} heads", { count: heads });
    const isMerged = next.words && offered.includes("words");
    const merged = isMerged && t("Weights to a word are summed over its tokens, weights from it averaged.");
    note.textContent = sentences([obstacle, sums, merged]);
    note.hidden = note.textContent === "";
  }

  return drawnView(element, data, draw);
}
