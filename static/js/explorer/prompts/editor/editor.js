/** The editor of a set of prompts: lines, or a template with slots; ready sets; files; what is typed is kept. */

import { fill } from "../../../base/dom.js";
import { readSet } from "../../state/prompt_set.js";
import { Draft } from "./draft.js";
import { createForm } from "./form.js";
import { createKeeping } from "./keeping.js";

/** @typedef {import("../../state/prompt_set.js").SetText} SetText */

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

/**
 * @param {HTMLElement} element
 * @param {EditorData} data
 * @param {{onRun: (set: SetText) => void, kept: import("./kept_draft.js").KeptDraft}} options
 * @returns {import("../../../base/mount.js").View<EditorData>}
 */
export function editorView(element, data, { onRun, kept }) {
  let current = data;
  const draft = new Draft(data.set, kept);
  const keeping = createKeeping(() => {
    if (draft.keep()) tell();
  });
  const form = createForm({
    most: data.most,
    wanted: () => draft.wanted(),
    onKind: (kind) => change(() => draft.choose(kind)),
    onType: () => change(() => draft.type(form.read())),
    onRun: () => run(draft.wanted()),
    onSet(set) {
      change(() => form.write(draft.take(set)));
      run(set);
    },
    onDiscard: () => change(() => form.write(draft.discard())),
  });
  fill(element, form.element);

  /** @param {() => void} make  changes what is typed */
  function change(make) {
    make();
    keeping.later();
    tell();
  }

  /** @param {SetText} set */
  function run(set) {
    const { count, problem } = readSet(set, current.most);
    if (problem !== "" || count === 0) return;
    form.fold();
    onRun(set);
  }

  function tell() {
    form.tell(toldOf(draft, current));
  }

  form.write(draft.typed());
  form.element.open = data.isOpen || draft.isFromBefore;
  tell();
  return {
    update(next) {
      const before = current;
      current = next;
      if (next.set !== before.set) keeping.cancel();
      if (draft.follow(next.set)) form.write(draft.typed());
      if (next.refused !== null && next.refused !== before.refused) form.point(next.refused);
      tell();
    },
    destroy() {
      keeping.stop();
      element.replaceChildren();
    },
  };
}

/**
 * @param {Draft} draft
 * @param {EditorData} data
 * @returns {import("./form.js").Told}
 */
function toldOf(draft, { most, link, hasDecoder, hasChat }) {
  const set = readSet(draft.wanted(), most);
  return { isTemplate: draft.isTemplate(), set, link, draft: draft.words(), hasDecoder, hasChat };
}
