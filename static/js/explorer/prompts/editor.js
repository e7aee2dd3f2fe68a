/** The editor of a set of prompts: lines, or a template with slots; ready sets; files. */

import { el, fill, say } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { bytes } from "../../base/numbers.js";
import { download } from "../../page/image_file.js";
import { filled, readSet } from "../state/prompt_set.js";
import { segmented } from "../widgets/segmented.js";
import { readySets } from "./ready_sets.js";
import { EMPTY, KINDS, MOST_BYTES, SetFileError, readSetFile, writeSet } from "./set_files.js";

/** @typedef {import("../state/prompt_set.js").SetText} SetText */

/**
 * @typedef {object} EditorData
 * @property {SetText} set  the one that is shown
 * @property {number} most  prompts
 * @property {boolean} isOpen  whether it is unfolded from the start
 * @property {string} link  whether the page's address holds it
 * @property {number | null} refused  the prompt that the server refuses
 */

/** Prompts of a template that are shown before they are run. */
const PREVIEWED = 3;

/**
 * @param {HTMLElement} element
 * @param {EditorData} data
 * @param {{onRun: (set: SetText) => void}} options
 * @returns {import("../../base/mount.js").View<EditorData>}
 */
export function editorView(element, data, { onRun }) {
  let current = data;
  /** What is typed. */
  let typed = data.set;
  let isTemplate = data.set.template !== "";
  const form = createForm({
    onKind(kind) {
      isTemplate = kind === "template";
      tell();
    },
    onType() {
      typed = { ...typed, ...form.read() };
      tell();
    },
    onRun: () => run(wanted()),
    onReady: take,
    onSave: () => download(new Blob([writeSet(wanted())], { type: "application/json" }), "prompts.json"),
    onFile: (file) => void open(file),
  });
  fill(element, form.element);

  /** What is typed, of the kind that is chosen. */
  const wanted = () => (isTemplate ? { ...typed, prompts: "" } : { ...EMPTY, prompts: typed.prompts });

  /** @param {SetText} set */
  function take(set) {
    typed = set;
    isTemplate = set.template !== "";
    form.write(typed, isTemplate);
    tell();
    run(set);
  }

  /** @param {SetText} set */
  function run(set) {
    const { count, problem } = readSet(set, current.most);
    if (problem !== "" || count === 0) return;
    form.fold();
    onRun(set);
  }

  /** @param {File} file */
  async function open(file) {
    const limit = { size: bytes(file.size), most: bytes(MOST_BYTES) };
    if (file.size > MOST_BYTES) return form.refuse(t("The file has {size}; at most {most} are read.", limit));
    try {
      take(readSetFile(file.name, await file.text(), current.most));
    } catch (error) {
      if (!(error instanceof SetFileError)) throw error;
      form.refuse(`${file.name}: ${error.message}`);
    }
  }

  function tell() {
    const set = readSet(wanted(), current.most);
    form.tell({ isTemplate, set, link: current.link });
  }

  form.write(typed, isTemplate);
  form.element.open = data.isOpen;
  tell();
  return {
    update(next) {
      const before = current;
      current = next;
      // Back, or a link: the fields follow, unless what they hold is what is shown.
      if (next.set !== before.set && JSON.stringify(next.set) !== JSON.stringify(wanted())) {
        typed = next.set;
        isTemplate = next.set.template !== "";
        form.write(typed, isTemplate);
      }
      if (next.refused !== null && next.refused !== before.refused) form.point(next.refused);
      tell();
    },
    destroy: () => element.replaceChildren(),
  };
}

/**
 * @typedef {object} FormOptions
 * @property {(kind: "lines" | "template") => void} onKind
 * @property {() => void} onType
 * @property {() => void} onRun
 * @property {(set: SetText) => void} onReady
 * @property {() => void} onSave
 * @property {(file: File) => void} onFile
 */

/** @param {FormOptions} options */
function createForm({ onKind, onType, onRun, onReady, onSave, onFile }) {
  const lines = textArea("prompts-lines", t("Prompts, one a line"), 6, onType);
  const template = textArea("prompts-template", t("Template, with slots such as {A}"), 2, onType);
  const slots = textArea("prompts-slots", t("Words of the slots, a line for each: A: Mary, John"), 4, onType);
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
    readyList(onReady),
    kind.element,
    lines.field,
    ofTemplate,
    ways,
    preview,
    problem,
    el("div", { class: "prompts-actions" }, run, status, save, file),
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
      pairing: /** @type {"all" | "row"} */ (
        pairing.element.querySelector("input:checked")?.getAttribute("value") ?? "all"
      ),
      distinct: distinct.checked,
    }),
    /** @param {SetText} set @param {boolean} isTemplate */
    write(set, isTemplate) {
      lines.area.value = set.prompts;
      template.area.value = set.template;
      slots.area.value = set.slots;
      pairing.check(set.pairing);
      distinct.checked = set.distinct;
      kind.check(isTemplate ? "template" : "lines");
    },
    /** @param {{isTemplate: boolean, set: import("../state/prompt_set.js").PromptSet, link: string}} told */
    tell({ isTemplate, set, link: said }) {
      kind.check(isTemplate ? "template" : "lines");
      lines.field.hidden = isTemplate;
      ofTemplate.hidden = !isTemplate;
      ways.hidden = !isTemplate;
      const count = set.count > 0 ? t("{count} prompts", { count: set.count }) : "";
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

/** @param {(file: File) => void} onFile */
function fileButton(onFile) {
  const input = el("input", {
    type: "file",
    id: "prompts-file",
    accept: KINDS.map((kind) => `.${kind}`).join(","),
    class: "visually-hidden",
  });
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    if (file) onFile(file);
    input.value = ""; // so that the same file, mended, can be chosen again
  });
  const kinds = el("span", { class: "note" }, ` ${KINDS.join(", ")}`);
  return el(
    "span",
    { class: "prompts-file" },
    input,
    el("label", { class: "button", for: input.id }, t("Open a set")),
    kinds,
  );
}
