/** The form in which a set of prompts is edited: its fields, buttons, preview and remarks. */

import { el, fill, say } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { filled } from "../state/prompt_set.js";
import { segmented } from "../widgets/segmented.js";
import { fileButton } from "./file_button.js";
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
  const lines = textArea("prompts-lines", t("Prompts, one a line"), 6, onType);
  const template = textArea("prompts-template", t("Template, with slots such as {A}"), 2, onType);
  const slots = textArea("prompts-slots", t("Words of the slots, a line for each: A: Mary, John"), 4, onType);
  const answers = textArea(
    "prompts-answers",
    t("Expected next tokens, one a line, or one for all (optional)"),
    2,
    onType,
  );
  lines.area.placeholder = t("The cat sat on the mat.\nThe dog lay on the rug.");
  answers.area.placeholder = t("Paris, or a slot: {A}");
  const targets = textArea(
    "prompts-targets",
    t("Decoder texts, one a line, or one for all: what the decoder has written so far"),
    2,
    onType,
  );
  const chat = el("input", { type: "checkbox", id: "prompts-chat", onchange: onType });
  const chatLabel = el("label", { class: "check" }, chat, ` ${t("Each prompt is a chat message")}`);
  const system = textArea("prompts-system", t("System message before each (optional)"), 1, onType);
  const kind = segmented({
    ...{ name: "prompts-kind", legend: t("How the prompts are given"), onPick: onKind },
    choices: /** @type {const} */ ([
      ["lines", t("List")],
      ["template", t("Template")],
    ]),
  });
  const pairing = segmented({
    ...{ name: "prompts-pairing", legend: t("Which words go together"), onPick: onType },
    choices: /** @type {const} */ ([
      ["all", t("all combinations")],
      ["row", t("word by word")],
    ]),
  });
  const distinct = el("input", { type: "checkbox", id: "prompts-distinct", onchange: onType });
  const distinctLabel = el("label", { class: "check" }, distinct, ` ${t("no word twice in a prompt")}`);
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
  const file = fileButton(onFile);
  const ofTemplate = el("div", { class: "prompts-template" }, template.field, slots.field);
  const ways = el("div", { class: "prompts-ways" }, pairing.element, distinctLabel);
  const summary = el("summary", {}, t("Edit the set"), " ");
  const counted = el("span", { class: "note" });
  summary.append(counted);
  const body = el(
    "form",
    {
      class: "prompts-form",
      onsubmit: (event) => {
        event.preventDefault();
        onRun();
      },
    },
    el(
      "p",
      { class: "note" },
      t("Run many prompts through the model, and see what every head does on average, and how much it varies."),
    ),
    readyList(onReady),
    kind.element,
    lines.field,
    ofTemplate,
    ways,
    answers.field,
    targets.field,
    chatLabel,
    system.field,
    preview,
    problem,
    el("div", { class: "prompts-actions" }, run, status, save, file),
    el("p", { class: "note prompts-draft" }, draft, discard),
    link,
  );
  const element = el("details", { class: "disclosure prompts-editor" }, summary, body);

  return {
    element,
    /**
     * Opens the editor at the line that was refused.
     * @param {number} prompt
     */
    point(prompt) {
      element.open = true;
      const found = [...lines.area.value.matchAll(/^.*\S.*$/gmu)][prompt];
      if (lines.field.hidden || !found) return;
      lines.area.focus();
      lines.area.setSelectionRange(found.index, found.index + found[0].length);
    },
    /** The results come first; who was typing goes on from here. */
    fold() {
      const hadFocus = body.contains(document.activeElement);
      element.open = false;
      if (hadFocus) summary.focus();
    },
    read: () => ({
      prompts: lines.area.value,
      template: template.area.value,
      slots: slots.area.value,
      answers: answers.area.value,
      pairing: /** @type {"all" | "row"} */ (
        pairing.element.querySelector("input:checked")?.getAttribute("value") ?? "all"
      ),
      distinct: distinct.checked,
      targets: targets.area.value,
      promptChat: chat.checked,
      promptSystem: system.area.value,
    }),
    /** @param {SetText} set @param {boolean} isTemplate */
    write(set, isTemplate) {
      lines.area.value = set.prompts;
      template.area.value = set.template;
      slots.area.value = set.slots;
      answers.area.value = set.answers;
      targets.area.value = set.targets;
      chat.checked = set.promptChat;
      system.area.value = set.promptSystem;
      pairing.check(set.pairing);
      distinct.checked = set.distinct;
      kind.check(isTemplate ? "template" : "lines");
    },
    /** @param {Told} told */
    tell({ isTemplate, set, link: said, draft: kept, hasDecoder, hasChat }) {
      kind.check(isTemplate ? "template" : "lines");
      lines.field.hidden = isTemplate;
      ofTemplate.hidden = !isTemplate;
      ways.hidden = !isTemplate;
      targets.field.hidden = !hasDecoder;
      chatLabel.hidden = !hasChat && !chat.checked;
      system.field.hidden = !chat.checked;
      say(draft, kept);
      discard.hidden = kept === "";
      const some = set.count === 1 ? t("1 prompt") : t("{count} prompts", { count: set.count });
      const count = set.count > 0 ? some : "";
      say(status, count);
      say(
        counted,
        [count, set.template]
          .filter(Boolean)
          .map((one) => `· ${one}`)
          .join(" "),
      );
      const isFaulty = set.problem !== "" && (isTemplate ? template.area.value !== "" : true);
      problem.hidden = !isFaulty;
      say(problem, isFaulty ? set.problem : "");
      run.disabled = set.count === 0 || set.problem !== "";
      save.disabled = run.disabled;
      say(link, said);
      const shown = set.problem === "" ? set.fillings.slice(0, PREVIEWED) : [];
      preview.hidden = shown.length === 0;
      const more = set.fillings.length - shown.length;
      fill(
        preview,
        ...shown.map((words) => el("li", {}, el("bdi", {}, filled(set.template, words)))),
        more > 0 && el("li", { class: "note" }, t("… and {count} more", { count: more })),
      );
    },
    /** @param {string} message  about a file */
    refuse(message) {
      problem.hidden = false;
      say(problem, message);
    },
  };
}

/**
 * @param {string} id
 * @param {string} label
 * @param {number} rows
 * @param {() => void} onType
 */
function textArea(id, label, rows, onType) {
  const area = el("textarea", {
    ...{ id, rows, spellcheck: "false", autocomplete: "off", "aria-describedby": "prompts-problem" },
    oninput: onType,
  });
  return { area, field: el("div", { class: "field" }, el("label", { for: id }, label), area) };
}

/** @param {(set: SetText) => void} onReady */
function readyList(onReady) {
  const buttons = readySets().map(({ id, title, set }) =>
    el("button", { type: "button", class: "preset", "data-set": id, onclick: () => onReady(set) }, title),
  );
  return el("div", { class: "presets", role: "group", "aria-label": t("Ready sets") }, ...buttons);
}
