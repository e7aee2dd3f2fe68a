/** The form in which a set of prompts is edited: its fields, buttons, preview and remarks. */

import { el } from "../../../base/dom.js";
import { t } from "../../../base/i18n.js";
import { openButton, saveButton } from "./file_buttons.js";
import { createFields } from "./form_fields.js";
import { readySets } from "./ready_sets.js";
import { createRemarks } from "./remarks.js";

/** @typedef {import("../../state/prompt_set.js").SetText} SetText */

/**
 * @typedef {object} Told
 * @property {boolean} isTemplate
 * @property {import("../../state/prompt_set.js").PromptSet} set  what is typed
 * @property {string} link  where the set that is shown is kept
 * @property {string} draft  where what is typed is kept; "" where it is what is shown
 * @property {boolean} hasDecoder  whether the model's decoder is given texts
 * @property {boolean} hasChat  whether it has a chat template
 */

/**
 * @typedef {object} FormOptions
 * @property {number} most  prompts
 * @property {() => SetText} wanted  what is typed, of the kind that is chosen
 * @property {(kind: "lines" | "template") => void} onKind
 * @property {() => void} onType
 * @property {() => void} onRun
 * @property {(set: SetText) => void} onSet  a ready one, or one from a file
 * @property {() => void} onDiscard
 */

/** @param {FormOptions} options */
export function createForm({ most, wanted, onKind, onType, onRun, onSet, onDiscard }) {
  const fields = createFields({ onType, onKind });
  const { lines, template } = fields;
  const remarks = createRemarks(onDiscard);
  const run = el("button", { type: "submit", class: "button is-run" }, t("Average over the prompts"));
  const save = saveButton(wanted);
  const open = openButton(most, { onSet, onRefused: remarks.refuse });
  const summary = el("summary", {}, t("Edit the set"), " ", remarks.counted);
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    onRun();
  };
  const body = el(
    "form",
    { class: "prompts-form", onsubmit },
    el("p", { class: "note" }, purpose()),
    readyList(onSet),
    ...fields.elements,
    remarks.preview,
    remarks.problem,
    el("div", { class: "prompts-actions" }, run, remarks.status, save, open),
    remarks.draft,
    remarks.link,
  );
  const element = el("details", { class: "disclosure prompts-editor" }, summary, body);

  return {
    element,
    read: fields.read,
    write: fields.write,
    /**
     * Opens the editor at the line that was refused.
     * @param {number} prompt
     */
    point(prompt) {
      element.open = true;
      const place = placeOf(lines.area.value, prompt);
      if (lines.field.hidden || !place) return;
      lines.area.focus();
      lines.area.setSelectionRange(...place);
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
      remarks.tell(told);
      remarks.refuse(isTemplate && template.area.value === "" ? "" : set.problem);
      run.disabled = set.count === 0 || set.problem !== "";
      save.disabled = run.disabled;
    },
  };
}

function purpose() {
  return t("Run many prompts through the model, and see what every head does on average, and how much it varies.");
}

/**
 * Where a prompt of a list stands in its text.
 * @param {string} text
 * @param {number} prompt  by its place among the lines that are not blank
 * @returns {[number, number] | null}  its first character, and the one after its last
 */
export function placeOf(text, prompt) {
  const match = [...text.matchAll(/^.*\S.*$/gmu)][prompt];
  return match ? [match.index, match.index + match[0].length] : null;
}

/** @param {(set: SetText) => void} onSet */
function readyList(onSet) {
  const buttons = readySets().map(({ id, title, set }) =>
    el("button", { type: "button", class: "preset", "data-set": id, onclick: () => onSet(set) }, title),
  );
  return el("div", { class: "presets", role: "group", "aria-label": t("Ready sets") }, ...buttons);
}
