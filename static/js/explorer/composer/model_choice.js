/** The button with the current model, and the dialog behind it: what is chosen there is asked for. */

import { need } from "../../base/dom.js";
import { mount } from "../../base/mount.js";
import { createHubSearch } from "../data/hub_search.js";
import { modelPickerView } from "./model_picker.js";
import { noteRecentModel } from "./recent_models.js";

/** @typedef {{model: string, progress: import("./progress.js").ProgressData}} ChosenModel */

/**
 * @param {Document} root
 * @param {object} page
 * @param {import("../state/draft.js").DraftStore} page.draftStore
 * @param {ReturnType<typeof import("../data/analyses.js").createAnalyst>} page.analyst
 * @param {() => void} page.schedule
 * @returns {(data: ChosenModel) => void}
 */
export function createModelPicker(root, { draftStore, analyst, schedule }) {
  const hub = createHubSearch(schedule);
  const show = mount(need(root, "#model-picker"), modelPickerView, {
    opener: need(root, "#choose-model"),
    onOpen: analyst.relist,
    onChoose(model) {
      noteRecentModel(model);
      const isBare = analyst.models().some((each) => each.id === model && !each.has_chat_template);
      draftStore.put(
        { model, answer: null, against: null, cell: "", output: null, flow: "", ...(isBare && { chat: false }) },
        "pick",
      );
      void analyst.run();
    },
    onSearch: (query) => void hub.ask(query),
    onLook: (model) => void hub.look(model),
    onCancel: () => analyst.session.cancel(),
    onRetry: analyst.retry,
  });
  return ({ model, progress }) =>
    show({ models: analyst.models(), model, ...analyst.known(), hub: hub.now(), progress });
}
