/** The form in which a set of prompts is edited: its fields, buttons, preview and remarks. */

import { el, fill, say } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { filled } from "../state/prompt_set.js";
import { createFields, fileButton } from "./form_fields.js";
import { readySets } from "./ready_sets.js";

/** @typedef {import("../state/prompt_set.js").SetText} SetText */

/** Prompts of a template that are shown before they are run. */
const PREVIEWED = 3;

/**
 * @typedef {object} Told
 * @property {boolean} isTemplate
 * @property {import("../state/prompt_set.js").PromptSet} set  what is typed
 * @property {string} link  where the set that is shown is kept
 * @property {string} draft  where what is typed is kept; "" where it is what is shown
 * @property {boolean} hasDecoder  whether the model's decoder is given texts
 * @property {boolean} hasChat  whether it has a chat template
 */

/**
 * @typedef {object} FormOptions
 * @property {(kind: "lines" | "template") => void} onKind
 * @property {() => void} onType
 * @property {() => void} onRun
 * @property {(set: SetText) => void} onReady
 * @property {() => void} onSave
 * @property {() => void} onDiscard
 * @property {(file: File) => void} onFile
 */

/** @param {FormOptions} options */
export function createForm({ onKind, onType, onRun, onReady, onSave, onFile, onDiscard }) {
  const fields = createFields({ onType, onKind });
  const { lines, template } = fields;
  const status = el("p", { class: "note", role: "status" });
  const problem = el("p", { id: "prompts-problem", class: "field-error", role: "alert", hidden: true });
  const link = el("p", { class: "note" });
  const draft = el("span", { role: "status" });
  const discard = el(
    "button",
    { type: "button", class: "button is-small", hidden: true, onclick: onDiscard },
    t("Discard what was typed"),
  );
  const preview = el("ul", { class: "prompts-preview" });
  const run = el("button", { type: "submit", class: "button is-run" }, t("Average over the prompts"));
  const save = el("button", { type: "button", class: "button", onclick: onSave }, t("Save the set"));
  const counted = el("span", { class: "note" });
  const summary = el("summary", {}, t("Edit the set"), " ", counted);
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    onRun();
  };
  const body = el(
    "form",
    { class: "prompts-form", onsubmit },
    el(
      "p",
      { class: "note" },
      t("Run many prompts through the model, and see what every head does on average, and how much it varies."),
    ),
    readyList(onReady),
    ...fields.elements,
    preview,
    problem,
    el("div", { class: "prompts-actions" }, run, status, save, fileButton(onFile)),
    el("p", { class: "note prompts-draft" }, draft, discard),
    link,
  );
  const element = el("details", { class: "disclosure prompts-editor" }, summary, body);

  /** @param {string} message  "" for none */
  function refuse(message) {
    problem.hidden = message === "";
    say(problem, message);
  }

  return {
    element,
    refuse,
    read: fields.read,
    write: fields.write,
    /**
     * Opens the editor at the line that was refused.
     * @param {number} prompt
     */
    point(prompt) {
      element.open = true;
      const match = [...lines.area.value.matchAll(/^.*\S.*$/gmu)][prompt];
      if (lines.field.hidden || !match) return;
      lines.area.focus();
      lines.area.setSelectionRange(match.index, match.index + match[0].length);
    },
    /** The results come first; who was typing goes on from here. */
    fold() {
      const hadFocus = body.contains(document.activeElement);
      element.open = false;
      if (hadFocus) summary.focus();
    },
    /** @param {Told} told */
    tell(told) {
      const { isTemplate, set } = told;
      fields.show(told);
      say(draft, told.draft);
      discard.hidden = told.draft === "";
      const count = countWords(set.count);
      say(status, count);
      const said = [count, set.template].filter(Boolean);
      say(counted, said.map((sentence) => `· ${sentence}`).join(" "));
      refuse(isTemplate && template.area.value === "" ? "" : set.problem);
      run.disabled = set.count === 0 || set.problem !== "";
      save.disabled = run.disabled;
      say(link, told.link);
      const previewed = previewOf(set);
      preview.hidden = previewed.length === 0;
      fill(preview, ...previewed);
    },
  };
}

/** @param {number} count */
function countWords(count) {
  if (count === 0) return "";
  return count === 1 ? t("1 prompt") : t("{count} prompts", { count });
}

/** The first prompts of a template. @param {import("../state/prompt_set.js").PromptSet} set */
function previewOf({ problem, fillings, template }) {
  const shown = problem === "" ? fillings.slice(0, PREVIEWED) : [];
  const more = fillings.length - shown.length;
  if (shown.length === 0) return [];
  return [
    ...shown.map((words) => el("li", {}, el("bdi", {}, filled(template, words)))),
    ...(more > 0 ? [el("li", { class: "note" }, t("… and {count} more", { count: more }))] : []),
  ];
}

/** @param {(set: SetText) => void} onReady */
function readyList(onReady) {
  const buttons = readySets().map(({ id, title, set }) =>
    el("button", { type: "button", class: "preset", "data-set": id, onclick: () => onReady(set) }, title),
  );
  return el("div", { class: "presets", role: "group", "aria-label": t("Ready sets") }, ...buttons);
}
