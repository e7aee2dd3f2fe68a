/** The input form: model, text, second text. Typed text stays, whatever the answer. */

import { isUploaded } from "../../api/analyses.js";
import { say } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { isSending } from "../../base/key_moves.js";
import { drawOffers, drawParts, drawRun, drawTexts, findParts, showError } from "./form_parts.js";
import { positionsName } from "../../wording/labels.js";
import { bindLongText } from "./long_text.js";

/** @typedef {import("../../api/types.js").Model} Model */

/**
 * @typedef {object} ComposerData
 * @property {Model[]} models
 * @property {string} model
 * @property {string} text
 * @property {string} pair
 * @property {boolean} isBusy
 * @property {boolean} isEdited  whether the draft differs from what is shown
 * @property {boolean} chat  whether the text is a chat message
 * @property {string} system  the system message before it
 * @property {string} target  the output so far of an encoder–decoder model
 * @property {string | null} errorField
 * @property {string} errorMessage
 * @property {Model | null} instead  offered for the text in place of own tensors or of an unavailable model
 * @property {string} shorter  label of the button that truncates the text; "" for none
 */

/**
 * @typedef {object} ComposerOptions
 * @property {(fields: {text?: string, pair?: string, target?: string, system?: string, chat?: boolean}) => void} onType
 * @property {() => void} onRun
 * @property {() => void} onCancel
 * @property {() => void} onShorten
 * @property {(model: string) => void} onInstead  analyses the text with another model
 */

/** The API's fields; the form's elements have their names. */
const FIELDS = ["model", "text", "text_pair", "target_text", "system_text", "chat"];

/**
 * Binds the template's form.
 * @param {HTMLElement} element
 * @param {ComposerData} data
 * @param {ComposerOptions} options
 * @returns {import("../../base/mount.js").View<ComposerData>}
 */
export function composerView(element, data, { onType, onRun, onCancel, onShorten, onInstead }) {
  const { form, texts, instead, shorten, ...parts } = findParts(element);
  const stop = new AbortController();
  const { signal } = stop;
  /** @type {ComposerData | null} */
  let current = null;
  const longText = bindLongText(texts.text, parts.all, signal);
  const isOwn = () => isUploaded(current?.model ?? "");

  form.addEventListener("submit", submit, { signal });
  parts.run.addEventListener("click", onceOfTwo, { signal });
  shorten.addEventListener("click", onShorten, { signal });
  for (const [name, field] of Object.entries(texts)) {
    field.addEventListener("input", () => onType({ [name]: field.value }), { signal });
    field.addEventListener("keydown", onKey, { signal });
  }
  parts.chat.addEventListener("change", () => onType({ chat: parts.chat.checked }), { signal });
  parts.addSecond.addEventListener("click", () => openSecond(parts.second, texts.pair), { signal });
  for (const button of Object.values(instead)) {
    button.addEventListener("click", () => current?.instead && onInstead(current.instead.id), { signal });
  }
  texts.text.addEventListener("focus", () => (parts.fold.open = true), { signal });

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    if (current?.isBusy) onCancel();
    else if (!isOwn()) onRun();
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (!isSending(event)) return;
    event.preventDefault();
    if (!isOwn()) onRun();
  }

  /** @param {ComposerData} next */
  function draw(next) {
    // What was asked for is there: on a phone the picture comes first again.
    if (current?.isBusy && !next.isBusy && !next.errorField) parts.fold.open = false;
    current = next;
    const chosen = next.models.find(({ id }) => id === next.model);
    drawModel(parts, next, chosen);
    const isThere = partsOf(next, chosen);
    drawTexts(texts, next, isThere.own);
    longText.update();
    drawParts(parts, next, isThere);
    drawRun(parts.run, next, isThere.own);
    drawOffers({ instead, shorten }, next);
    for (const field of FIELDS) showError(element, field, next.errorField === field ? next.errorMessage : "");
  }

  draw(data);
  return { update: draw, destroy: () => stop.abort() };
}

/** @param {HTMLDetailsElement} second @param {HTMLElement} field */
function openSecond(second, field) {
  second.open = true;
  field.focus();
}

/**
 * The second click of a double click would cancel what the first asked for.
 * @param {MouseEvent} event
 */
function onceOfTwo(event) {
  if (event.detail > 1) event.preventDefault();
}

/**
 * Which parts of the form a draft has; own: tensors instead of a text.
 * @param {Pick<ComposerData, "model" | "pair" | "chat">} draft
 * @param {Pick<Model, "kind" | "takes_pairs" | "has_chat_template">} [chosen]  undefined where it is not listed
 */
export function partsOf({ model, pair, chat }, chosen) {
  const own = isUploaded(model);
  const isSingle = chosen?.takes_pairs === false && pair === "";
  return {
    own,
    second: !own && !isSingle,
    addSecond: !isSingle,
    chatOptions: !own && (chat || chosen?.has_chat_template === true),
    target: chosen?.kind === "encoder_decoder",
  };
}

/**
 * @param {Pick<ReturnType<typeof findParts>, "model" | "name" | "facts">} parts
 * @param {Pick<ComposerData, "models" | "model">} data
 * @param {Model} [chosen]  undefined where it is not listed
 */
function drawModel({ model, name, facts }, data, chosen) {
  // Until the list is there, the button has the server's words.
  if (data.model !== "" && (data.models.length > 0 || model.value !== data.model)) {
    say(name, chosen?.title ?? unlistedName(data.model));
    model.value = data.model;
  }
  facts.textContent = chosen ? modelFacts(chosen) : "";
}

/**
 * The name of a model that the server does not list, or of uploaded tensors.
 * @param {string} model
 */
function unlistedName(model) {
  return isUploaded(model) ? t("Own tensors") : model;
}

/** @param {Model} model */
function modelFacts({ heads, kv_heads: kvHeads, max_tokens: most, positions, text_part_of: whole }) {
  const facts = [];
  if (whole) facts.push(t("the text part of a {model} model, without its images or sounds", { model: whole }));
  if (kvHeads && kvHeads !== heads) facts.push(t("{count} key/value heads", { count: kvHeads }));
  if (most) facts.push(t("up to {count} tokens", { count: most }));
  if (positions) facts.push(t("positions: {kind}", { kind: positionsName(positions) }));
  return facts.join(" · ");
}

/**
 * The form's field beside which an error is shown; null for other errors.
 * @param {string | null} field
 * @returns {string | null}
 */
export function formField(field) {
  return field !== null && FIELDS.includes(field) ? field : null;
}
