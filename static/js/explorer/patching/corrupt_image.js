/** The corrupt image: chosen here, analysed beside the clean one, and named by its analysis in what the server is asked. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { mount } from "../../base/mount.js";
import { createPosting } from "../data/analysis_request.js";
import { createSession } from "../data/session.js";
import { imageInputView } from "../widgets/image_input.js";
import { whyNotSent } from "../widgets/image_limits.js";

/** @typedef {import("../state/view_state.js").ViewState} ViewState */
/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {ReturnType<typeof createCorruptImage>} CorruptImage */

/**
 * @param {Pick<import("../widgets/panel.js").Bench, "config" | "schedule" | "session" | "state">} bench
 * @param {import("../data/images.js").GivenImages} images
 */
export function createCorruptImage({ config, schedule, session, state }, images) {
  const other = createSession(createPosting(images));
  other.progress.subscribe(schedule);
  const set = (/** @type {string} */ corruptPicture, /** @type {string} */ origin) =>
    state.set({ corruptPicture }, origin);
  return {
    ...createAnalysed(other, images, (lasting) => set(lasting, "settle")),
    /**
     * Asks about both analyses; one that has expired is posted again.
     * @template T
     * @param {() => Promise<T>} question
     * @returns {Promise<T>}
     */
    ask(question) {
      const [clean, corrupt] = [session, other].map(({ progress }) => progress.get().analysis?.id ?? "");
      return session.ask(clean, () => other.ask(corrupt, question));
    },
    failure: other.failure,
    /**
     * The choice of it.
     * @param {HTMLElement} element
     * @param {() => void} onChoose  before it changes
     * @returns {(value: ViewState | null) => void}
     */
    mount(element, onChoose) {
      const show = mountChoice(element, {
        limits: config.limits,
        onRefuse: schedule,
        onGive(file) {
          onChoose();
          set(images.give(file), "pick");
        },
        onSample(name) {
          onChoose();
          set(name, "pick");
        },
        onCancel: () => set("", "pick"),
      });
      return (value) => show(value, other.progress.get().phase === "running");
    },
  };
}

/**
 * The analysis of the corrupt image that is wanted.
 * @param {ReturnType<typeof createSession>} session
 * @param {import("../data/images.js").GivenImages} images
 * @param {(picture: string) => void} onLasting  the image has a name that lasts as long as the server keeps it
 */
function createAnalysed(session, images, onLasting) {
  let asked = "";

  /** @param {import("../../api/types.js").AnalysisRequest & {picture: string}} request */
  async function run(request) {
    const analysis = await session.run(request);
    if (!analysis) return;
    // In a link, an image is named by its analysis, for as long as the server keeps that.
    const picture = images.settle(request.picture, analysis.id);
    if (picture === request.picture) return;
    const lasting = { ...request, picture };
    asked = JSON.stringify(lasting);
    session.progress.set({ request: lasting });
    onLasting(picture);
  }

  return {
    /**
     * Its id; "" while there is none.
     * @param {Pick<ViewState, "corruptPicture">} value
     * @param {Analysis} analysis  of the clean one
     */
    take({ corruptPicture: picture }, { model, image }) {
      const request = { model: model.id, text: "", picture };
      const name = image && picture !== "" ? JSON.stringify(request) : "";
      if (name !== asked) {
        asked = name;
        if (name === "") session.cancel();
        else void run(request);
      }
      const { analysis, request: answered } = session.progress.get();
      return name !== "" && analysis && JSON.stringify(answered) === name ? analysis.id : "";
    },
    clear() {
      asked = "";
      session.cancel();
    },
  };
}

/**
 * The samples and the field of a file, with what is said of a file that cannot be sent.
 * @param {HTMLElement} element
 * @param {Omit<Parameters<typeof imageInputView>[2], "id" | "isDropTarget"> & {onRefuse: () => void}} options
 */
function mountChoice(element, { limits, onRefuse, onGive, onSample, onCancel }) {
  const id = "corrupt-image";
  const box = el("div", { class: "image-input" });
  const title = el("h3", { id, class: "output-title" }, t("Corrupt image"));
  fill(element, el("div", { role: "group", "aria-labelledby": id }, title, box));
  let refusal = "";
  const show = mount(box, imageInputView, {
    id,
    isDropTarget: false,
    limits,
    onGive(file) {
      refusal = whyNotSent(file, limits);
      if (refusal === "") onGive(file);
      else onRefuse();
    },
    onSample(name) {
      refusal = "";
      onSample(name);
    },
    onCancel() {
      refusal = "";
      onCancel();
    },
  });
  return (/** @type {ViewState | null} */ value, /** @type {boolean} */ isBusy) =>
    show(value && { picture: value.corruptPicture, barred: value.picture, problem: refusal, isBusy });
}
