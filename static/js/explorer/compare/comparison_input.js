/** What the picture is compared with: another text, another model, or itself before the changes. */

import { el, fill, say } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { isSending } from "../../base/key_moves.js";

/** @typedef {import("../../api/types.js").Model} Model */

/**
 * @typedef {object} ComparisonInputData
 * @property {string} text  "" for the same
 * @property {string} model  "" for the same
 * @property {Model[]} models
 * @property {boolean} hasChanges
 * @property {boolean} isBusy
 */

/**
 * @param {HTMLElement} element
 * @param {ComparisonInputData} data
 * @param {{onAsk: (wanted: {text: string, model: string}) => void}} options
 * @returns {import("../../base/mount.js").View<ComparisonInputData>}
 */
export function comparisonInputView(element, data, { onAsk }) {
  const text = el("textarea", { id: "comparison-text", rows: 1, dir: "auto", spellcheck: "false", onkeydown: onKey });
  const model = el("select", { id: "comparison-model", onchange: () => ask() });
  const go = el("button", { class: "button" }, t("Compare"));
  const clear = el(
    "button",
    { type: "button", class: "button", onclick: () => onAsk({ text: "", model: "" }) },
    t("Clear"),
  );
  const status = el("p", { class: "note", role: "status" });
  const form = el(
    "form",
    { class: "comparison-input", autocomplete: "off", onsubmit: submit },
    el("div", { class: "comparison-line" }, el("label", { for: "comparison-text" }, t("Another text")), text, go),
    el("div", { class: "comparison-line" }, el("label", { for: "comparison-model" }, t("Another model")), model, clear),
  );
  fill(element, form, status);
  /** @type {Model[] | null} */
  let listed = null;
  let current = data;
  draw(data);

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    ask();
  }

  /** @param {Event} event */
  function onKey(event) {
    if (!isSending(/** @type {KeyboardEvent} */ (event))) return;
    event.preventDefault();
    ask();
  }

  function ask() {
    onAsk({ text: text.value.trim() === "" ? "" : text.value, model: model.value });
  }

  /** @param {ComparisonInputData} next */
  function draw(next) {
    const isNewText = next.text !== current.text || listed === null;
    current = next;
    if (next.models !== listed) {
      listed = next.models;
      const known = listed.filter((one) => one.available);
      fill(
        model,
        el("option", { value: "" }, t("the same model")),
        ...known.map((one) => el("option", { value: one.id }, one.title)),
        next.model !== "" &&
          !known.some((one) => one.id === next.model) &&
          el("option", { value: next.model }, next.model),
      );
    }
    if (isNewText) text.value = next.text;
    model.value = next.model;
    clear.disabled = next.text === "" && next.model === "";
    const words = next.isBusy ? t("Computing …") : explain(next);
    say(status, words);
  }

  return {
    update: draw,
    destroy() {
      element.replaceChildren();
    },
  };
}

/** @param {ComparisonInputData} data */
function explain({ text, model, hasChanges }) {
  if (text !== "" || model !== "") return "";
  return hasChanges
    ? t("Compared: the model before your changes, and after.")
    : t("Type another text or choose another model, or change something in the model above.");
}
