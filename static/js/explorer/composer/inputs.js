/** Inputs other than text: images and own tensors. */

import { need } from "../../base/dom.js";
import { bindDropping } from "./dropped_files.js";
import { t } from "../../base/i18n.js";
import { textsOfTensors } from "../state/selection.js";
import { whyNotSent } from "../widgets/image_limits.js";
import { mount } from "../../base/mount.js";
import { uploadView } from "./upload.js";
import { isSound } from "../state/given_names.js";
import { viewOnDemand } from "../widgets/late_view.js";

/** @typedef {import("../../api/types.js").Model} Model */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */
/** @typedef {{message: string, field: string | null}} Problem */

/** Positions in the previous input mean nothing in a new one. */
const NOWHERE = Object.freeze({ part: "", query: null, key: null, rows: "", cols: "" });

/** Only models that read sounds need them. */
const loadSounds = () => import("../data/sample_sounds.js");
const loadTranscription = () => import("./transcription.js");

/**
 * @typedef {object} AskingPage
 * @property {import("../widgets/panel.js").Config} config
 * @property {import("../state/draft.js").DraftStore} draftStore
 * @property {ReturnType<typeof import("../data/analyses.js").createAnalyst>} analyst
 * @property {import("../data/images.js").GivenImages} images
 * @property {() => void} schedule
 */

/**
 * @param {Document} root
 * @param {AskingPage} page
 */
export function createAsking(root, page) {
  const { draftStore, analyst, schedule } = page;
  /** @type {File | null} */
  let dropped = null;
  let refusal = "";
  const texts = need(root, "#composer");
  const giving = createGiving(page, { ask, refuse });
  const views = mountInputs(root, page, { ask, ...giving });
  bindDropping(root, {
    onDrop(file) {
      if (file.type.startsWith("image/")) return giving.give(file);
      if (file.type.startsWith("audio/")) return void giving.giveSound(file);
      dropped = file;
      schedule();
    },
    onPaste: giving.give,
  });

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
 * Images and sounds that are given to a model which reads such.
 * @param {AskingPage} page
 * @param {{ask: (what: Partial<ViewState>) => void, refuse: (words: string) => void}} on
 */
function createGiving({ config, draftStore, analyst, images }, { ask, refuse }) {
  const reader = (/** @type {"image" | "sound"} */ kind) => readerOf(kind, analyst.models(), draftStore.get().model);
  return {
    /** @param {File} file */
    give(file) {
      const model = reader("image");
      const problem = model ? whyNotSent(file, config.limits) : t("No model here takes images.");
      if (!model || problem !== "") return refuse(problem);
      ask({ model: model.id, picture: images.give(file) });
    },
    /** @param {Blob} file */
    async giveSound(file) {
      const model = reader("sound");
      try {
        const { asWav } = await loadSounds();
        if (!model) return refuse(t("No model here takes sounds."));
        ask({ model: model.id, picture: images.give(await asWav(file)), target: "" });
      } catch {
        refuse(t("This browser cannot decode the file; give a WAV file."));
      }
    },
    /** Asks the model for a text first, which then is the decoder's so far. */
    async transcribe() {
      const { model, picture } = draftStore.get();
      try {
        const { transcription } = await loadTranscription();
        const target = await transcription({ model, picture }, { analyst, images });
        if (target !== null) ask({ picture, target });
      } catch (error) {
        refuse(error instanceof Error ? error.message : "");
      }
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
 * @param {AskingPage} page
 * @param {ReturnType<typeof createGiving> & {ask: (what: Partial<ViewState>) => void}} on
 */
function mountInputs(root, { config: { limits }, analyst, schedule }, { ask, give, giveSound, transcribe }) {
  /** @type {(data: import("../widgets/image_input.js").ImageInputData | null) => void} */
  const image = viewOnDemand(
    () => import("../widgets/image_input.js"),
    ({ imageInputView }) =>
      mount(need(root, "#image"), imageInputView, {
        limits,
        onGive: give,
        onCancel: () => analyst.session.cancel(),
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
