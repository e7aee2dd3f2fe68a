/** The editor of a set of prompts: lines, or a template with slots; ready sets; files; what is typed is kept. */

import { fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { bytes } from "../../base/numbers.js";
import { download } from "../../base/picture_files.js";
import { readSet } from "../state/prompt_set.js";
import { createDraft } from "./draft.js";
import { createForm } from "./form.js";
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
  const draft = createDraft(data.set, kept);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const form = createForm({
    onKind(kind) {
      draft.choose(kind);
      changed();
    },
    onType() {
      draft.type(form.read());
      changed();
    },
    onRun: () => run(draft.wanted()),
    onReady: take,
    onSave: () => download(new Blob([writeSet(draft.wanted())], { type: "application/json" }), "prompts.json"),
    onFile: (file) => void open(file),
    onDiscard() {
      draft.discard();
      form.write(draft.typed());
      changed();
    },
  });
  fill(element, form.element);
  addEventListener("pagehide", keep);

  /** @param {SetText} set */
  function take(set) {
    draft.take(set);
    form.write(set);
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

  function keep() {
    clearTimeout(timer);
    if (draft.keep()) tell();
  }

  function tell() {
    const { most, link, hasDecoder, hasChat } = current;
    const set = readSet(draft.wanted(), most);
    form.tell({ isTemplate: draft.isTemplate(), set, link, draft: draft.words(), hasDecoder, hasChat });
  }

  form.write(draft.typed());
  form.element.open = data.isOpen || draft.isFromBefore;
  tell();
  return {
    update(next) {
      const before = current;
      current = next;
      if (next.set !== before.set) clearTimeout(timer);
      if (draft.follow(next.set)) form.write(draft.typed());
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
