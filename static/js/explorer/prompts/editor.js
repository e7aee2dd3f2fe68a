/** The editor of a set of prompts: lines, or a template with slots; ready sets; files; what is typed is kept. */

import { fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { bytes } from "../../base/numbers.js";
import { download } from "../../base/picture_files.js";
import { EMPTY_SET, readSet } from "../state/prompt_set.js";
import { createForm } from "./form.js";
import { nameOf } from "./kept_sets.js";
import { MOST_BYTES, SetFileError, readSetFile, writeSet } from "./set_files.js";

/** @typedef {import("../state/prompt_set.js").SetText} SetText */

/**
 * @typedef {object} EditorData
 * @property {SetText} set  the one that is shown
 * @property {number} most  prompts
 * @property {boolean} isOpen  whether it is unfolded from the start
 * @property {string} link  where the set is kept: in the page's address, or else
 * @property {number | null} refused  the prompt that the server refuses
 * @property {boolean} hasDecoder  whether the model's decoder is given texts
 * @property {boolean} hasChat  whether the model has a chat template
 */

/** After the last key: so long is not every letter written down. */
const KEEP_AFTER = 400;

/**
 * @param {HTMLElement} element
 * @param {EditorData} data
 * @param {{onRun: (set: SetText) => void, kept: import("./kept_sets.js").KeptSets}} options
 * @returns {import("../../base/mount.js").View<EditorData>}
 */
export function editorView(element, data, { onRun, kept }) {
  let current = data;
  /** What is typed. */
  let typed = data.set;
  let isTemplate = data.set.template !== "";
  /** Whether the browser keeps what is typed. */
  let isKept = true;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const form = createForm({
    onKind(kind) {
      isTemplate = kind === "template";
      changed();
    },
    onType() {
      typed = { ...typed, ...form.read() };
      changed();
    },
    onRun: () => run(wanted()),
    onReady: take,
    onSave: () => download(new Blob([writeSet(wanted())], { type: "application/json" }), "prompts.json"),
    onFile: (file) => void open(file),
    onDiscard() {
      show(current.set);
      changed();
    },
  });
  fill(element, form.element);
  addEventListener("pagehide", keep);

  /** What is typed, of the kind that is chosen. */
  const wanted = () =>
    isTemplate
      ? { ...typed, prompts: "" }
      : { ...typed, template: "", slots: "", pairing: EMPTY_SET.pairing, distinct: EMPTY_SET.distinct };

  const isShown = () => JSON.stringify(current.set) === JSON.stringify({ ...current.set, ...wanted() });

  /** @param {SetText} set  @param {boolean} [asTemplate] */
  function show(set, asTemplate = set.template !== "") {
    typed = set;
    isTemplate = asTemplate;
    form.write(typed, isTemplate);
  }

  /** @param {SetText} set */
  function take(set) {
    show(set);
    changed();
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

  function changed() {
    clearTimeout(timer);
    timer = setTimeout(keep, KEEP_AFTER);
    tell();
  }

  /** Writes down what is typed, where it is not what is shown. */
  function keep() {
    clearTimeout(timer);
    const before = isKept;
    isKept = kept.keepDraft(isShown() ? null : { of: nameOf(current.set), typed, isTemplate });
    if (isKept !== before) tell();
  }

  function tell() {
    const { link, hasDecoder, hasChat } = current;
    form.tell({ isTemplate, set: readSet(wanted(), current.most), link, draft: draftWords(), hasDecoder, hasChat });
  }

  function draftWords() {
    if (isShown()) return "";
    return isKept
      ? t("Not averaged yet; what you typed is kept in this browser.")
      : t("This browser stores nothing for this page: save the set as a file before you leave.");
  }

  const draft = kept.draftOf(data.set);
  if (draft) show(draft.typed, draft.isTemplate);
  else form.write(typed, isTemplate);
  form.element.open = data.isOpen || draft !== null;
  tell();
  return {
    update(next) {
      const before = current;
      const wasShown = isShown();
      if (!wasShown && next.set !== before.set) keep();
      current = next;
      // Back, or a link: the fields follow, unless what they hold is what is shown, or was typed for it.
      if (next.set !== before.set && !isShown()) {
        const left = wasShown ? null : kept.draftOf(next.set);
        show(left?.typed ?? next.set, left?.isTemplate);
      }
      if (next.set !== before.set && isShown()) keep();
      if (next.refused !== null && next.refused !== before.refused) form.point(next.refused);
      tell();
    },
    destroy() {
      if (timer !== undefined) keep();
      removeEventListener("pagehide", keep);
      element.replaceChildren();
    },
  };
}
