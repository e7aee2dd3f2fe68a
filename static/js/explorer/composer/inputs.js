/** Inputs other than text: images and own tensors. */

import { getSound, postSound } from "../../api/analyses.js";
import { need } from "../../base/dom.js";
import { bindDropping } from "./dropped_files.js";
import { t } from "../../base/i18n.js";
import { textsOfTensors } from "../state/selection.js";
import { whyNotSent } from "../widgets/image_limits.js";
import { mount } from "../../base/mount.js";
import { uploadView } from "./upload.js";
import { base64 } from "../data/images.js";
import { isSound } from "../state/given_names.js";
import { viewOnDemand } from "../widgets/late_view.js";

/** @typedef {import("../state/view_state.js").ViewState} ViewState */

/** Positions in the previous input mean nothing in a new one. */
const NOWHERE = Object.freeze({ part: "", query: null, key: null, rows: "", cols: "" });

/** Only models that read sounds need them. */
const loadSounds = () => import("../data/sample_sounds.js");

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
  /** @type {(data: import("../widgets/image_input.js").ImageInputData | null) => void} */
  const image = viewOnDemand(
    () => import("../widgets/image_input.js"),
    ({ imageInputView }) =>
      mount(need(root, "#image"), imageInputView, {
        limits: config.limits,
        onGive: give,
        onSample: (/** @type {string} */ picture) => ask({ picture }),
        onCancel: () => analyst.session.cancel(),
      }),
    schedule,
  );
  /** @type {(data: import("./sound_input.js").SoundInputData | null) => void} */
  const sound = viewOnDemand(
    () => import("./sound_input.js"),
    ({ soundInputView }) =>
      mount(need(root, "#sound"), soundInputView, {
        limits: config.limits,
        onGive: (/** @type {File} */ file) => void giveSound(file),
        onSample: (/** @type {string} */ picture) => ask({ picture, target: "" }),
        onTranscribe: () => void transcribe(),
      }),
    schedule,
  );
  const upload = mount(need(root, "#upload"), uploadView, {
    onUploaded: (analysis) => {
      ask({ model: analysis.id, ...textsOfTensors(analysis), layer: 0, head: 0 });
    },
  });
  bindDropping(root, {
    onDrop: (file) => {
      if (file.type.startsWith("image/")) return give(file);
      if (file.type.startsWith("audio/")) return void giveSound(file);
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

  /** The chosen model, or another one that reads such. @param {"image" | "sound"} kind */
  function readerOf(kind) {
    const all = analyst.models().filter(({ reads, available }) => reads === kind && available);
    return all.find(({ id }) => id === draftStore.get().model) ?? all[0];
  }

  /** @param {File} file */
  function give(file) {
    const model = readerOf("image");
    refusal = model ? whyNotSent(file, config.limits) : t("No model here takes images.");
    if (model && refusal === "") ask({ model: model.id, picture: images.give(file) });
    else schedule();
  }

  /** @param {Blob} file */
  async function giveSound(file) {
    const model = readerOf("sound");
    try {
      const { asWav } = await loadSounds();
      if (model) return ask({ model: model.id, picture: images.give(await asWav(file)), target: "" });
      refusal = t("No model here takes sounds.");
    } catch {
      refusal = t("This browser cannot decode the file; give a WAV file.");
    }
    schedule();
  }

  /** Asks the model for a text first, which then is the decoder's so far. */
  async function transcribe() {
    const { model, picture } = draftStore.get();
    try {
      const file = await images.find(picture);
      const known = analyst.session.progress.get().analysis;
      const wav = file ?? (known ? await getSound(known.id) : null);
      if (!wav) return;
      const written = await postSound({ model, sound: await base64(wav), transcribe: true });
      ask({ picture, target: written.sound?.target_text ?? "" });
    } catch (error) {
      refusal = error instanceof Error ? error.message : "";
      schedule();
    }
  }

  return {
    ask,
    /**
     * @param {ViewState} value
     * @param {boolean} isBusy
     * @param {{message: string, field: string | null} | null} problem
     */
    show({ picture, model }, isBusy, problem) {
      const isSounding = isSound(picture);
      const isImage = picture !== "" && !isSounding;
      const told = refusal || (problem && ofPicture(problem.field) ? problem.message : "");
      texts.classList.toggle("reads-image", isImage);
      texts.classList.toggle("reads-sound", isSounding);
      const { analysis } = analyst.session.progress.get();
      const heard = { id: analysis?.id ?? "", sound: analysis?.sound ?? null };
      const canTranscribe = analyst.models().find(({ id }) => id === model)?.kind === "encoder_decoder";
      sound(isSounding ? { picture, isBusy, canTranscribe, problem: told, ...heard } : null);
      image(isImage ? { picture, isBusy, problem: told } : null);
      upload({ dropped, refusal: picture !== "" ? "" : refusal });
    },
  };
}

/**
 * Whether an error is shown beside the image.
 * @param {string | null} field
 */
export function ofPicture(field) {
  return field === "image" || field === "picture" || field === "sound" || field === "transcribe";
}
