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
  /** @type {import("../data/model_loading.js").ModelPurpose} */
  const own = {
    title: t("Choose a model"),
    refusalOf: () => "",
    now: () => asked,
    onChoose(model) {
      const models = analyst.models();
      const isBare = models.some((entry) => entry.id === model && !entry.has_chat_template);
      const isOther = !isSameShape(models, draftStore.get().model, model);
      draftStore.put(
        {
          model,
          answer: null,
          against: null,
          cell: "",
          output: null,
          flow: "",
          ...(isOther && { changes: "", baseline: false }),
          ...(isBare && { chat: false }),
        },
        "pick",
      );
      void analyst.run();
    },
    onCancel: () => analyst.session.cancel(),
    onRetry: analyst.retry,
  };
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
