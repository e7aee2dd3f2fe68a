/** What the picture is compared with: another text, model or head, or itself before the changes. */

import { el, fill, plainButton, say, smallButton } from "../../base/dom.js";
import { range } from "./common_sequence.js";
import { t } from "../../base/i18n.js";
import { isSending } from "../../base/key_moves.js";
import { drawnView } from "../../base/mount.js";

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
  const form = createForm({
    onSend: () => ask(),
    onModel: () => onChooseModel(),
    onSame: () => ask({ model: "" }),
    onClear: () => onAsk({ text: "", model: "", head: null }),
  });
  const { text, name, same, layer, head, clear } = form;
  const status = el("p", { class: "note", role: "status" });
  fill(element, form.element, status);
  /** Layers, heads and numbering of the options. */
  let shape = "";
  /** @type {ComparisonInputData | null} */
  let current = null;

  /** @param {Partial<Pick<ComparisonInputData, "model">>} [change] */
  function ask(change) {
    const otherHead = layer.value === "" ? null : { layer: Number(layer.value), head: Number(head.value) };
    const typed = text.value.trim() === "" ? "" : text.value;
    onAsk({ text: typed, model: current?.model ?? "", head: otherHead, ...change });
  }

  /** @param {ComparisonInputData} next */
  function drawHeads({ head: chosen, layers, heads, numbering }) {
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
    layer.value = chosen ? String(Math.min(chosen.layer, layers - 1)) : "";
    head.hidden = !chosen;
    head.value = chosen ? String(Math.min(chosen.head, heads - 1)) : "";
  }

  return drawnView(element, data, (next) => {
    if (next.text !== current?.text) text.value = next.text;
    current = next;
    form.textLine.hidden = !next.isText;
    say(name, next.model === "" ? t("the same model") : next.title);
    same.hidden = next.model === "";
    drawHeads(next);
    clear.disabled = next.text === "" && next.model === "" && !next.head;
    say(status, next.isBusy ? t("Computing …") : explain(next));
  });
}

/** @param {{onSend: () => void, onModel: () => void, onSame: () => void, onClear: () => void}} actions */
function createForm({ onSend, onModel, onSame, onClear }) {
  const send = (/** @type {Event} */ event) => {
    event.preventDefault();
    onSend();
  };
  const text = el("textarea", {
    id: "comparison-text",
    rows: 1,
    dir: "auto",
    spellcheck: "false",
    onkeydown: (event) => isSending(/** @type {KeyboardEvent} */ (event)) && send(event),
  });
  const name = el("bdi", { id: "comparison-model-name" });
  const model = smallButton(name, onModel, {
    id: "comparison-model",
    "aria-haspopup": "dialog",
    "aria-labelledby": "comparison-model-label comparison-model-name",
  });
  const same = smallButton(t("Use the same model"), onSame);
  const layer = el("select", {
    id: "comparison-layer",
    "aria-label": t("Another head: layer"),
    onchange() {
      if (head.value === "") head.value = "0"; // with a layer, its first head is chosen too, unless one is
      onSend();
    },
  });
  const head = el("select", { id: "comparison-head", "aria-label": t("Another head: head"), onchange: onSend });
  const clear = plainButton(t("Clear"), onClear);
  const line = (/** @type {import("../../base/dom.js").Child[]} */ ...content) =>
    el("div", { class: "comparison-line" }, ...content);
  const label = (/** @type {string} */ of, /** @type {string} */ words) => el("label", { for: of }, words);
  const textLine = line(
    label("comparison-text", t("Another text")),
    text,
    el("button", { class: "button" }, t("Compare")),
  );
  const another = el("span", { id: "comparison-model-label", class: "comparison-label" }, t("Another model"));
  const element = el(
    "form",
    { class: "comparison-input", autocomplete: "off", onsubmit: send },
    textLine,
    line(another, model, same),
    line(label("comparison-layer", t("Another head")), layer, head, clear),
  );
  return { element, textLine, text, name, same, layer, head, clear };
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
