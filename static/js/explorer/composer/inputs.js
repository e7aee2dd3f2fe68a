/** Inputs other than text: images and own tensors. */

import { need } from "../../base/dom.js";
import { bindDropping } from "./dropped_files.js";
import { t } from "../../base/i18n.js";
import { textsOfTensors } from "../state/selection.js";
import { imageInputView, whyNotSent } from "./image_input.js";
import { mount } from "../../base/mount.js";
import { uploadView } from "./upload.js";

/** @typedef {import("../state/view_state.js").ViewState} ViewState */

/** Positions in the previous input mean nothing in a new one. */
const NOWHERE = Object.freeze({ part: "", query: null, key: null, rows: "", cols: "" });

/**
 * @param {Document} root
 * @param {object} page
 * @param {import("../widgets/panel.js").Config} page.config
 * @param {import("../state/draft.js").DraftStore} page.draftStore
 * @param {ReturnType<typeof import("../data/analyses.js").createAnalyst>} page.analyst
 * @param {import("../data/images.js").GivenImages} page.images
 * @param {() => void} page.schedule
 */
export function createAsking(root, { config, draftStore, analyst, images, schedule }) {
  /** @type {File | null} */
  let dropped = null;
  let refusal = "";
  const texts = need(root, "#composer");
  const image = mount(need(root, "#image"), imageInputView, {
    limits: config.limits,
    onGive: give,
    onSample: (/** @type {string} */ picture) => ask({ picture }),
    onCancel: () => analyst.session.cancel(),
  });
  const upload = mount(need(root, "#upload"), uploadView, {
    onUploaded: (analysis) => {
      ask({ model: analysis.id, ...textsOfTensors(analysis), layer: 0, head: 0 });
    },
  });
  bindDropping(root, {
    onDrop: (file) => {
      if (file.type.startsWith("image/")) return give(file);
      dropped = file;
      schedule();
    },
    onPaste: give,
  });

  /** @param {Partial<ViewState>} what */
  function ask(what) {
    refusal = "";
    draftStore.put({ ...NOWHERE, ...what }, "pick");
    void analyst.run();
  }

  /** @param {File} file */
  function give(file) {
    const eyes = analyst.models().filter(({ reads, available }) => reads === "image" && available);
    const model = eyes.find(({ id }) => id === draftStore.get().model) ?? eyes[0];
    refusal = model ? whyNotSent(file, config.limits) : t("No model here takes images.");
    if (model && refusal === "") ask({ model: model.id, picture: images.give(file) });
    else schedule();
  }

  return {
    ask,
    /**
     * @param {ViewState} value
     * @param {boolean} isBusy
     * @param {{message: string, field: string | null} | null} problem
     */
    show({ picture }, isBusy, problem) {
      const isImage = picture !== "";
      texts.classList.toggle("reads-image", isImage);
      const told = problem && ofPicture(problem.field) ? problem.message : "";
      image(isImage ? { picture, isBusy, problem: refusal || told } : null);
      upload({ dropped, refusal: isImage ? "" : refusal });
    },
  };
}

/**
 * Whether an error is shown beside the image.
 * @param {string | null} field
 */
export function ofPicture(field) {
  return field === "image" || field === "picture";
}
