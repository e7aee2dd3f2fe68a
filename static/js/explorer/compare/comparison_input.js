/** What the picture is compared with: another text, model or head, or itself before the changes. */

import { el, fill, say } from "../../base/dom.js";
import { range } from "./common_sequence.js";
import { t } from "../../base/i18n.js";
import { isSending } from "../../base/key_moves.js";

/**
 * @typedef {object} ComparisonInputData
 * @property {string} text  "" for the same
 * @property {string} model  "" for the same
 * @property {string} title  of that model
 * @property {import("../state/head_list.js").HeadAt | null} head  null for the same
 * @property {number} layers  of the run that is compared with
 * @property {number} heads
 * @property {0 | 1} numbering
 * @property {boolean} hasChanges
 * @property {boolean} isBusy
 * @property {boolean} isText  whether what is analysed is a text: an image or a sound has no other text
 * @property {boolean} isPlain  whether a chat message is a plain text to the other model
 */

/**
 * @param {HTMLElement} element
 * @param {ComparisonInputData} data
 * @param {object} options
 * @param {(wanted: Pick<ComparisonInputData, "text" | "model" | "head">) => void} options.onAsk
 * @param {() => void} options.onChooseModel  opens the model picker
 * @returns {import("../../base/mount.js").View<ComparisonInputData>}
 */
export function comparisonInputView(element, data, { onAsk, onChooseModel }) {
  const text = el("textarea", { id: "comparison-text", rows: 1, dir: "auto", spellcheck: "false", onkeydown: onKey });
  const name = el("bdi", { id: "comparison-model-name" });
  const model = el(
    "button",
    {
      ...{ type: "button", id: "comparison-model", class: "button is-small", "aria-haspopup": "dialog" },
      ...{ "aria-labelledby": "comparison-model-label comparison-model-name", onclick: () => onChooseModel() },
    },
    name,
  );
  const same = el(
    "button",
    { type: "button", class: "button is-small", onclick: () => ask({ model: "" }) },
    t("Use the same model"),
  );
  const layer = el("select", { id: "comparison-layer", "aria-label": t("Another head: layer"), onchange: pickLayer });
  const head = el("select", { id: "comparison-head", "aria-label": t("Another head: head"), onchange: () => ask() });
  const go = el("button", { class: "button" }, t("Compare"));
  const clear = el(
    "button",
    { type: "button", class: "button", onclick: () => onAsk({ text: "", model: "", head: null }) },
    t("Clear"),
  );
  const textLine = el(
    "div",
    { class: "comparison-line" },
    el("label", { for: "comparison-text" }, t("Another text")),
    text,
    go,
  );
  const status = el("p", { class: "note", role: "status" });
  const form = el(
    "form",
    { class: "comparison-input", autocomplete: "off", onsubmit: submit },
    textLine,
    el(
      "div",
      { class: "comparison-line" },
      el("span", { id: "comparison-model-label", class: "comparison-label" }, t("Another model")),
      model,
      same,
    ),
    el(
      "div",
      { class: "comparison-line" },
      el("label", { for: "comparison-layer" }, t("Another head")),
      layer,
      head,
      clear,
    ),
  );
  fill(element, form, status);
  let isDrawn = false;
  /** Layers, heads and numbering of the options. */
  let shape = "";
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

  /** @param {Partial<Pick<ComparisonInputData, "model">>} [change] */
  function ask(change) {
    const at = layer.value === "" ? null : { layer: Number(layer.value), head: Number(head.value) };
    onAsk({ text: text.value.trim() === "" ? "" : text.value, model: current.model, head: at, ...change });
  }

  /** With a layer, its first head is chosen too, unless one is. */
  function pickLayer() {
    if (head.value === "") head.value = "0";
    ask();
  }

  /** @param {ComparisonInputData} next */
  function drawHeads({ head: at, layers, heads, numbering }) {
    const key = [layers, heads, numbering].join(" ");
    if (key !== shape) {
      shape = key;
      const numbers = (/** @type {number} */ count, /** @type {(number: number) => string} */ name) =>
        range(0, count).map((index) => el("option", { value: String(index) }, name(index + numbering)));
      fill(
        layer,
        el("option", { value: "" }, t("the same head")),
        ...numbers(layers, (number) => t("Layer {layer}", { layer: number })),
      );
      fill(head, ...numbers(heads, (number) => t("Head {head}", { head: number })));
    }
    layer.value = at ? String(Math.min(at.layer, layers - 1)) : "";
    head.hidden = !at;
    head.value = at ? String(Math.min(at.head, heads - 1)) : "";
  }

  /** @param {ComparisonInputData} next */
  function draw(next) {
    const isNewText = next.text !== current.text || !isDrawn;
    current = next;
    isDrawn = true;
    if (isNewText) text.value = next.text;
    textLine.hidden = !next.isText;
    say(name, next.model === "" ? t("the same model") : next.title);
    same.hidden = next.model === "";
    drawHeads(next);
    clear.disabled = next.text === "" && next.model === "" && !next.head;
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
function explain({ text, model, head, hasChanges, isText, isPlain }) {
  if (isPlain) return t("The other model has no chat template: it reads the message as a plain text.");
  if (text !== "" || model !== "" || head) return "";
  if (hasChanges) return t("Compared: the model before your changes, and after.");
  return isText
    ? t("Type another text, choose another model or head, or change something in the model above.")
    : t("Choose another model or head, or change something in the model above.");
}
