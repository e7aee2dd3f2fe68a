/** The dialog to choose a model: for the composer, or for whoever opens it for something else. */

import { need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { mount } from "../../base/mount.js";
import { createHubSearch } from "../data/hub_search.js";
import { isSameShape } from "../state/carry_over.js";
import { modelPickerView } from "./model_picker.js";
import { noteRecentModel } from "./recent_models.js";

/** @typedef {{model: string, progress: import("./progress.js").ProgressData}} ChosenModel */

/**
 * @param {Document} root
 * @param {object} page
 * @param {import("../state/draft.js").DraftStore} page.draftStore
 * @param {ReturnType<typeof import("../data/analyses.js").createAnalyst>} page.analyst
 * @param {() => void} page.schedule
 */
export function createModelPicker(root, { draftStore, analyst, schedule }) {
  const hub = createHubSearch(schedule);
  /** What the composer asks for. @type {ChosenModel | null} */
  let asked = null;
  const own = composersPurpose({ draftStore, analyst }, () => asked);
  /** What a model is chosen for while the dialog is open. @type {import("../data/model_loading.js").ModelPurpose | null} */
  let purpose = null;
  const show = mount(need(root, "#model-picker"), modelPickerView, {
    onClose() {
      purpose = null;
      show(null);
    },
    onChoose(/** @type {string} */ model) {
      noteRecentModel(model);
      purpose?.onChoose(model);
    },
    onSearch: (/** @type {string} */ query) => void hub.ask(query),
    onLook: (/** @type {string} */ model) => void hub.look(model),
    onCancel: () => purpose?.onCancel(),
    onRetry: () => purpose?.onRetry(),
  });

  function draw() {
    const chosen = purpose?.now();
    if (!purpose || !chosen) return; // the composer says what it asks for once it is drawn
    const { title, refusalOf } = purpose;
    const { memory, anyHubId } = analyst.known();
    show({ title, refusalOf, models: analyst.models(), ...chosen, memory, anyHubId, hub: hub.now() });
  }

  return {
    /** @param {ChosenModel} data */
    show(data) {
      asked = data;
      draw();
    },
    /** @param {import("../data/model_loading.js").ModelPurpose | null} wanted  null for the composer */
    open(wanted) {
      show(null);
      purpose = wanted ?? own;
      void analyst.relist().then(draw);
      draw();
    },
  };
}

/**
 * The composer's: the model of what is asked for.
 * @param {Pick<Parameters<typeof createModelPicker>[1], "draftStore" | "analyst">} page
 * @param {() => ChosenModel | null} now
 * @returns {import("../data/model_loading.js").ModelPurpose}
 */
function composersPurpose({ draftStore, analyst }, now) {
  return {
    title: t("Choose a model"),
    refusalOf: () => "",
    now,
    onChoose(model) {
      draftStore.put(withModel(model, draftStore.get().model, analyst.models()), "pick");
      void analyst.run();
    },
    onCancel: () => analyst.session.cancel(),
    onRetry: analyst.retry,
  };
}

/**
 * What another model changes of a draft: what was chosen of an output is another one's, and so may be heads and a chat.
 * @param {string} model
 * @param {string} before
 * @param {import("../../api/types.js").Model[]} models
 */
export function withModel(model, before, models) {
  const isBare = models.some((entry) => entry.id === model && !entry.has_chat_template);
  const isOther = !isSameShape(models, before, model);
  return {
    model,
    answer: null,
    against: null,
    cell: "",
    output: null,
    flow: "",
    ...(isOther && { changes: "", baseline: false }),
    ...(isBare && { chat: false }),
  };
}
