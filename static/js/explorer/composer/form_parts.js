/** The parts of the input form: found in the page, and drawn. */

import { need, say, smallButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("./composer.js").ComposerData} ComposerData */

/** @param {HTMLElement} element */
export function findParts(element) {
  const field = (/** @type {string} */ id) => /** @type {HTMLTextAreaElement} */ (need(element, `#${id}`));
  const own = need(element, "#own-tensors");
  const button = smallButton(null, null, { id: "instead" });
  own.append(button);
  return {
    form: /** @type {HTMLFormElement} */ (need(element, "form")),
    model: /** @type {HTMLInputElement} */ (need(element, "#model")),
    name: need(element, "#model-name"),
    texts: {
      text: field("text"),
      pair: field("text_pair"),
      target: field("target_text"),
      system: field("system_text"),
    },
    all: /** @type {HTMLButtonElement} */ (need(element, "#text-all")),
    chatOptions: need(element, "#chat-options"),
    chat: /** @type {HTMLInputElement} */ (need(element, "#chat")),
    system: need(element, "#system"),
    second: /** @type {HTMLDetailsElement} */ (need(element, "#second")),
    fold: /** @type {HTMLDetailsElement} */ (need(element, "#fold")),
    addSecond: /** @type {HTMLButtonElement} */ (need(element, "#add-second")),
    run: /** @type {HTMLButtonElement} */ (need(element, "#run")),
    target: need(element, "#target"),
    facts: need(element, "#model-facts"),
    shorten: need(element, "#shorten"),
    own,
    /** Buttons that offer another model, beside own tensors and beside an unavailable model. */
    instead: { own: button, other: need(element, "#open-with") },
  };
}

/**
 * @param {HTMLElement} element
 * @param {string} field
 * @param {string} message  "" for none
 */
export function showError(element, field, message) {
  const input = need(element, `#${field}`);
  const line = need(element, `#${field}-error`);
  line.hidden = message === "";
  say(line, message);
  if (message) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
}

/**
 * @param {ReturnType<typeof findParts>["texts"]} texts
 * @param {ComposerData} data
 * @param {boolean} isOwn  whether there are tensors instead of a text
 */
export function drawTexts(texts, data, isOwn) {
  for (const name of /** @type {const} */ (["text", "pair", "target", "system"])) {
    if (texts[name].value !== data[name]) texts[name].value = data[name];
    texts[name].readOnly = isOwn;
  }
}

/**
 * @param {Pick<ReturnType<typeof findParts>, "second" | "addSecond" | "chatOptions" | "chat" | "system" | "target" | "own">} parts
 * @param {Pick<ComposerData, "pair" | "chat" | "errorField">} data
 * @param {ReturnType<typeof import("./composer.js").partsOf>} isThere
 */
export function drawParts({ second, addSecond, chatOptions, chat, system, target, own }, data, isThere) {
  if (data.pair || data.errorField === "text_pair") second.open = true;
  second.hidden = !isThere.second;
  addSecond.disabled = isThere.own;
  addSecond.hidden = !isThere.addSecond;
  chatOptions.hidden = !isThere.chatOptions;
  chat.checked = data.chat;
  system.hidden = !data.chat;
  target.hidden = !isThere.target;
  own.hidden = !isThere.own;
}

/**
 * @param {HTMLButtonElement} run
 * @param {Pick<ComposerData, "isBusy" | "isEdited">} data
 * @param {boolean} isOwn  whether there are tensors instead of a text
 */
export function drawRun(run, { isBusy, isEdited }, isOwn) {
  run.textContent = isBusy ? t("Cancel") : t("Analyse");
  run.disabled = isOwn && !isBusy;
  run.classList.toggle("is-primary", !isBusy);
  run.classList.toggle("is-edited", isEdited && !isBusy);
}

/**
 * Another model, and a shorter text.
 * @param {Pick<ReturnType<typeof findParts>, "instead" | "shorten">} parts
 * @param {ComposerData} data
 */
export function drawOffers({ instead, shorten }, { isBusy, instead: other, errorField, shorter }) {
  const name = { model: other?.title ?? "" };
  instead.own.hidden = other === null;
  instead.own.textContent = t("Analyse this text with {model} instead", name);
  instead.other.hidden = other === null || errorField !== "model";
  instead.other.textContent = t("Open with {model}", name);
  shorten.hidden = shorter === "" || isBusy;
  say(shorten, shorter);
}
