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

/** @typedef {import("../../api/types.js").Model} Model */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */
/** @typedef {{message: string, field: string | null}} Problem */

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
  const views = mountInputs(root, config, { ask, give, giveSound, transcribe, onCancel }, schedule);
  bindDropping(root, {
    onDrop(file) {
      if (file.type.startsWith("image/")) return give(file);
      if (file.type.startsWith("audio/")) return void giveSound(file);
      dropped = file;
      schedule();
    },
    onPaste: give,
  });

  function onCancel() {
    analyst.session.cancel();
  }

  /** @param {Partial<ViewState>} what */
  function ask(what) {
    refusal = "";
    draftStore.put({ ...NOWHERE, ...what }, "pick");
    void analyst.run();
  }

  /** @param {string} words */
  function refuse(words) {
    refusal = words;
    schedule();
  }

  /** @param {File} file */
  function give(file) {
    const model = readerOf("image", analyst.models(), draftStore.get().model);
    const problem = model ? whyNotSent(file, config.limits) : t("No model here takes images.");
    if (!model || problem !== "") return refuse(problem);
    ask({ model: model.id, picture: images.give(file) });
  }

  /** @param {Blob} file */
  async function giveSound(file) {
    const model = readerOf("sound", analyst.models(), draftStore.get().model);
    try {
      const { asWav } = await loadSounds();
      if (!model) return refuse(t("No model here takes sounds."));
      ask({ model: model.id, picture: images.give(await asWav(file)), target: "" });
    } catch {
      refuse(t("This browser cannot decode the file; give a WAV file."));
    }
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
      refuse(error instanceof Error ? error.message : "");
    }
  }

  return {
    ask,
    /**
     * @param {ViewState} value
     * @param {boolean} isBusy
     * @param {Problem | null} problem
     */
    show(value, isBusy, problem) {
      const { analysis } = analyst.session.progress.get();
      const shown = shownInputs(value, { isBusy, problem, refusal, analysis, models: analyst.models() });
      texts.classList.toggle("reads-image", shown.image !== null);
      texts.classList.toggle("reads-sound", shown.sound !== null);
      views.sound(shown.sound);
      views.image(shown.image);
      views.upload({ dropped, refusal: value.picture === "" ? refusal : "" });
    },
  };
}

/**
 * The chosen model, or another one that reads such.
 * @param {"image" | "sound"} kind
 * @param {Model[]} models
 * @param {string} chosen
 */
export function readerOf(kind, models, chosen) {
  const readers = models.filter(({ reads, available }) => reads === kind && available);
  return readers.find(({ id }) => id === chosen) ?? readers[0];
}

/**
 * What the inputs of an image and of a sound show; null for one that is not there.
 * @param {Pick<ViewState, "picture" | "model">} value
 * @param {{isBusy: boolean, problem: Problem | null, refusal: string,
 *   analysis: Pick<import("../../api/types.js").Analysis, "id" | "sound"> | null,
 *   models: Pick<Model, "id" | "kind">[]}} page
 * @returns {{image: import("../widgets/image_input.js").ImageInputData | null,
 *   sound: import("./sound_input.js").SoundInputData | null}}
 */
export function shownInputs({ picture, model }, { isBusy, problem, refusal, analysis, models }) {
  if (picture === "") return { image: null, sound: null };
  const said = refusal || (problem && ofPicture(problem.field) ? problem.message : "");
  const shared = { picture, isBusy, problem: said };
  if (!isSound(picture)) return { image: shared, sound: null };
  const canTranscribe = models.find(({ id }) => id === model)?.kind === "encoder_decoder";
  const heard = { id: analysis?.id ?? "", sound: analysis?.sound ?? null };
  return { image: null, sound: { ...shared, canTranscribe, ...heard } };
}

/**
 * @param {Document} root
 * @param {import("../widgets/panel.js").Config} config
 * @param {object} on
 * @param {(what: Partial<ViewState>) => void} on.ask
 * @param {(file: File) => void} on.give
 * @param {(file: Blob) => Promise<void>} on.giveSound
 * @param {() => Promise<void>} on.transcribe
 * @param {() => void} on.onCancel
 * @param {() => void} schedule
 */
function mountInputs(root, { limits }, { ask, give, giveSound, transcribe, onCancel }, schedule) {
  /** @type {(data: import("../widgets/image_input.js").ImageInputData | null) => void} */
  const image = viewOnDemand(
    () => import("../widgets/image_input.js"),
    ({ imageInputView }) =>
      mount(need(root, "#image"), imageInputView, {
        limits,
        onGive: give,
        onCancel,
        onSample: (/** @type {string} */ picture) => ask({ picture }),
      }),
    schedule,
  );
  /** @type {(data: import("./sound_input.js").SoundInputData | null) => void} */
  const sound = viewOnDemand(
    () => import("./sound_input.js"),
    ({ soundInputView }) =>
      mount(need(root, "#sound"), soundInputView, {
        limits,
        onGive: (/** @type {File} */ file) => void giveSound(file),
        onSample: (/** @type {string} */ picture) => ask({ picture, target: "" }),
        onTranscribe: () => void transcribe(),
      }),
    schedule,
  );
  const upload = mount(need(root, "#upload"), uploadView, {
    onUploaded: (analysis) => ask({ model: analysis.id, ...textsOfTensors(analysis), layer: 0, head: 0 }),
  });
  return { image, sound, upload };
}

/**
 * Whether an error is shown beside the image.
 * @param {string | null} field
 */
export function ofPicture(field) {
  return field === "image" || field === "picture" || field === "sound" || field === "transcribe";
}
