/** The fields of a set of prompts: a list or a template with its slots, and what is expected of the model. */

import { el } from "../../../base/dom.js";
import { t } from "../../../base/i18n.js";
import { segmented } from "../../widgets/segmented.js";

/** @typedef {import("../../state/prompt_set.js").SetText} SetText */

/** @param {{onType: () => void, onKind: (kind: "lines" | "template") => void}} options */
export function createFields({ onType, onKind }) {
  const area = textAreas(onType);
  const lines = area("lines", t("Prompts, one a line"), 6);
  lines.area.placeholder = t("The cat sat on the mat.\nThe dog lay on the rug.");
  const filling = createTemplateFields(area, onType);
  const answers = area("answers", t("Expected next tokens, one a line, or one for all (optional)"), 2);
  answers.area.placeholder = t("Paris, or a slot: {A}");
  const targets = area(
    "targets",
    t("Decoder texts, one a line, or one for all: what the decoder has written so far"),
    2,
  );
  const chat = checkbox("prompts-chat", t("Each prompt is a chat message"), onType);
  const system = area("system", t("System message before each (optional)"), 1);
  const kind = segmented({
    name: "prompts-kind",
    legend: t("How the prompts are given"),
    onPick: onKind,
    choices: /** @type {const} */ ([
      ["lines", t("List")],
      ["template", t("Template")],
    ]),
  });

  return {
    lines,
    template: filling.template,
    elements: [kind.element, lines.field, ...filling.elements, answers.field, targets.field, chat.label, system.field],
    read: () => ({
      ...filling.read(),
      prompts: lines.area.value,
      answers: answers.area.value,
      targets: targets.area.value,
      promptChat: chat.input.checked,
      promptSystem: system.area.value,
    }),
    /** @param {SetText} set */
    write(set) {
      filling.write(set);
      lines.area.value = set.prompts;
      answers.area.value = set.answers;
      targets.area.value = set.targets;
      chat.input.checked = set.promptChat;
      system.area.value = set.promptSystem;
    },
    /** @param {{isTemplate: boolean, hasDecoder: boolean, hasChat: boolean}} model */
    show({ isTemplate, hasDecoder, hasChat }) {
      kind.check(isTemplate ? "template" : "lines");
      lines.field.hidden = isTemplate;
      for (const element of filling.elements) element.hidden = !isTemplate;
      targets.field.hidden = !hasDecoder;
      chat.label.hidden = !hasChat && !chat.input.checked;
      system.field.hidden = !chat.input.checked;
    },
  };
}

/**
 * A template, the words of its slots, and which of them go together.
 * @param {ReturnType<typeof textAreas>} area
 * @param {() => void} onType
 */
function createTemplateFields(area, onType) {
  const template = area("template", t("Template, with slots such as {A}"), 2);
  const slots = area("slots", t("Words of the slots, a line for each: A: Mary, John"), 4);
  const pairing = segmented({
    name: "prompts-pairing",
    legend: t("Which words go together"),
    onPick: onType,
    choices: /** @type {const} */ ([
      ["all", t("all combinations")],
      ["row", t("word by word")],
    ]),
  });
  const distinct = checkbox("prompts-distinct", t("no word twice in a prompt"), onType);
  return {
    template,
    elements: [
      el("div", { class: "prompts-template" }, template.field, slots.field),
      el("div", { class: "prompts-ways" }, pairing.element, distinct.label),
    ],
    read: () => ({
      template: template.area.value,
      slots: slots.area.value,
      pairing: /** @type {"all" | "row"} */ (
        pairing.element.querySelector("input:checked")?.getAttribute("value") ?? "all"
      ),
      distinct: distinct.input.checked,
    }),
    /** @param {SetText} set */
    write(set) {
      template.area.value = set.template;
      slots.area.value = set.slots;
      pairing.check(set.pairing);
      distinct.input.checked = set.distinct;
    },
  };
}

/** @param {() => void} onType */
function textAreas(onType) {
  return (/** @type {string} */ name, /** @type {string} */ label, /** @type {number} */ rows) => {
    const id = `prompts-${name}`;
    const area = el("textarea", {
      id,
      rows,
      spellcheck: "false",
      autocomplete: "off",
      "aria-describedby": "prompts-problem",
      oninput: onType,
    });
    return { area, field: el("div", { class: "field" }, el("label", { for: id }, label), area) };
  };
}

/** @param {string} id @param {string} name @param {() => void} onchange */
function checkbox(id, name, onchange) {
  const input = el("input", { type: "checkbox", id, onchange });
  return { input, label: el("label", { class: "check" }, input, ` ${name}`) };
}
