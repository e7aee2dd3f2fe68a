/** The form that asks: model, text, second text. What was typed stays, whatever the answer. */

import { isUploaded } from "../../api/analyses.js";
import { el, fill, need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { positionsName } from "../../wording/labels.js";

/** @typedef {import("../../api/types.js").Model} Model */

/**
 * @typedef {object} ComposerData
 * @property {Model[]} models
 * @property {string} model
 * @property {string} text
 * @property {string} pair
 * @property {boolean} isBusy
 * @property {boolean} isEdited  whether what is typed differs from what is shown below
 * @property {string} target  what the decoder of an encoder–decoder model has written
 * @property {string | null} errorField
 * @property {string} errorMessage
 * @property {Model | null} instead  to open the text with, in place of own tensors or of a model that cannot be had
 * @property {string} shorter  what the way to as much of the text as fits is called; "" where it is none
 */

/**
 * @typedef {object} ComposerOptions
 * @property {(fields: {text?: string, pair?: string, target?: string}) => void} onType
 * @property {(model: string) => void} onModel
 * @property {() => void} onRun
 * @property {() => void} onCancel
 * @property {() => void} onShorten
 * @property {(model: string) => void} onInstead  the text, in a model
 */

/** Characters from which a text is set smaller. */
const LONG_TEXT = 160;
/** The API's fields; the form's elements have their names. */
const FIELDS = ["model", "text", "text_pair", "target_text"];

/**
 * Brings the form of the template to life.
 * @param {HTMLElement} element
 * @param {ComposerData} data
 * @param {ComposerOptions} options
 * @returns {import("../../api/types.js").View<ComposerData>}
 */
export function composerView(element, data, { onType, onModel, onRun, onCancel, onShorten, onInstead }) {
  const form = /** @type {HTMLFormElement} */ (need(element, "form"));
  const model = /** @type {HTMLSelectElement} */ (need(element, "#model"));
  const text = /** @type {HTMLTextAreaElement} */ (need(element, "#text"));
  const pair = /** @type {HTMLTextAreaElement} */ (need(element, "#text_pair"));
  const target = /** @type {HTMLTextAreaElement} */ (need(element, "#target_text"));
  const second = /** @type {HTMLDetailsElement} */ (need(element, "#second"));
  const run = /** @type {HTMLButtonElement} */ (need(element, "#run"));
  const facts = need(element, "#model-facts");
  const shorten = need(element, "#shorten");
  const own = need(element, "#own-tensors");
  const instead = el("button", { type: "button", id: "instead", class: "button is-small" });
  own.append(instead);
  const openWith = need(element, "#open-with");
  const stop = new AbortController();
  const { signal } = stop;
  let current = data;
  /** @type {Model[] | null} */
  let listed = null;

  text.addEventListener("input", () => onType({ text: text.value }), { signal });
  pair.addEventListener("input", () => onType({ pair: pair.value }), { signal });
  target.addEventListener("input", () => onType({ target: target.value }), { signal });
  model.addEventListener("change", () => onModel(model.value), { signal });
  form.addEventListener("submit", submit, { signal });
  shorten.addEventListener("click", onShorten, { signal });
  for (const button of [instead, openWith]) {
    button.addEventListener("click", () => current.instead && onInstead(current.instead.id), { signal });
  }
  for (const field of [text, pair, target]) field.addEventListener("keydown", onKey, { signal });

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    if (current.isBusy) onCancel();
    else if (!isUploaded(current.model)) onRun();
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    // Enter sends, Shift+Enter breaks the line; while an input method composes, Enter is its own.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (!isUploaded(current.model)) onRun();
  }

  function draw() {
    const isOffered = [...model.options].some((option) => option.value === current.model);
    if (current.models !== listed || (!isOffered && current.model !== "")) listModels();
    text.classList.toggle("is-long", current.text.length > LONG_TEXT);
    if (model.value !== current.model) model.value = current.model;
    if (text.value !== current.text) text.value = current.text;
    if (pair.value !== current.pair) pair.value = current.pair;
    if (current.pair || current.errorField === "text_pair") second.open = true;
    if (target.value !== current.target) target.value = current.target;
    const chosen = current.models.find((one) => one.id === current.model);
    need(element, "#target").hidden = chosen?.kind !== "encoder_decoder";
    facts.textContent = chosen ? modelFacts(chosen) : "";
    run.textContent = current.isBusy ? t("Cancel") : t("Analyse");
    const isOwn = isUploaded(current.model);
    run.disabled = isOwn && !current.isBusy;
    for (const field of [text, pair, target]) field.readOnly = isOwn;
    second.hidden = isOwn;
    own.hidden = !isOwn;
    instead.hidden = current.instead === null;
    openWith.hidden = current.instead === null || current.errorField !== "model";
    openWith.textContent = t("Open with {model}", { model: current.instead?.title ?? "" });
    instead.textContent = t("Analyse this text with {model} instead", { model: current.instead?.title ?? "" });
    run.classList.toggle("is-primary", current.isEdited && !current.isBusy);
    for (const field of FIELDS) showError(field);
    shorten.hidden = current.shorter === "" || current.isBusy;
    if (shorten.textContent !== current.shorter) shorten.textContent = current.shorter;
  }

  function listModels() {
    listed = current.models;
    const known = listed.some((one) => one.id === current.model);
    fill(
      model,
      ...listed.map((one) => {
        const name = one.available ? one.title : `${one.title} – ${t("not available")}`;
        return el("option", { value: one.id, disabled: !one.available, title: one.reason }, name);
      }),
      !known && current.model !== "" && el("option", { value: current.model }, unlistedName(current.model)),
    );
  }

  /** @param {string} field */
  function showError(field) {
    const input = need(element, `#${field}`);
    const line = need(element, `#${field}-error`);
    const message = current.errorField === field ? current.errorMessage : "";
    line.hidden = message === "";
    if (line.textContent !== message) line.textContent = message;
    if (message) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }

  draw();
  return {
    update(next) {
      current = next;
      draw();
    },
    destroy() {
      stop.abort();
    },
  };
}

/**
 * A model that the server does not list, or uploaded tensors in the place of one.
 * @param {string} model
 */
function unlistedName(model) {
  return isUploaded(model) ? t("Own tensors") : model;
}

/** @param {Model} model */
function modelFacts({ heads, kv_heads: kvHeads, max_tokens: most, positions }) {
  const facts = [];
  if (kvHeads && kvHeads !== heads) facts.push(t("{count} key–value heads", { count: kvHeads }));
  if (most) facts.push(t("up to {count} tokens", { count: most }));
  if (positions) facts.push(t("positions: {kind}", { kind: positionsName(positions) }));
  return facts.join(" · ");
}

/**
 * The field that an error is shown beside; null for those that belong to none of the form's.
 * @param {string | null} field
 * @returns {string | null}
 */
export function formField(field) {
  return field !== null && FIELDS.includes(field) ? field : null;
}
