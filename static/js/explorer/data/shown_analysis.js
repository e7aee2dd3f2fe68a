/** What is shown follows what is wanted: it is asked for, and once it is there, all of the state changes in one step. */

import { isUploaded } from "../../api/analyses.js";
import { SAMPLES } from "./sample_images.js";
import { fit, textsOfTensors } from "../state/selection.js";
import { isSame, requestOf } from "../state/draft.js";

/** @typedef {import("../../api/types.js").AnalysisRequest} AnalysisRequest */
/** @typedef {import("../../api/types.js").Model} Model */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */
/** @typedef {import("../state/draft.js").Waiting} Waiting */

/**
 * What must change in what is wanted so that a model that reads images has one, and only such a model.
 * @param {Pick<ViewState, "model" | "picture">} wanted
 * @param {Model[]} models
 * @returns {Partial<ViewState> | null}  null where it is right
 */
export function matchingPicture({ model, picture }, models) {
  const reads = models.find((one) => one.id === model)?.reads;
  const nowhere = { part: "", query: null, key: null, rows: "", cols: "" };
  if (reads === "image" && picture === "") return { picture: SAMPLES[0], ...nowhere };
  return reads === "text" && picture !== "" ? { picture: "", ...nowhere } : null;
}

/**
 * @param {object} page
 * @param {import("../../base/store.js").Store<ViewState>} page.state  what is shown; before there is anything, what the address asks for
 * @param {import("../state/draft.js").DraftStore} page.draftStore
 * @param {Pick<import("./session.js").Session, "progress" | "run" | "cancel">} page.session
 * @param {Pick<import("./images.js").GivenImages, "settle">} page.images
 * @param {() => Model[]} page.models
 * @param {() => void} page.onAsk
 */
export function createShownAnalysis({ state, draftStore, session, images, models, onAsk }) {
  /** @type {AnalysisRequest | null} */
  let asked = null;

  async function ask() {
    onAsk();
    const { draft } = draftStore.waiting();
    const request = requestOf(draftStore.get());
    asked = request;
    draftStore.send(true);
    const analysis = await session.run(request);
    if (!analysis) return;
    const { picture = "" } = request;
    // Whoever follows the link has only the analysis, and that only while the server keeps it.
    const lasting = images.settle(picture, analysis.id);
    if (lasting !== picture) session.progress.set({ request: { ...request, picture: lasting } });
    const whole = { ...state.get(), ...draft };
    // Beside tensors any text may stand in an address; they are of their own tokens.
    const own = isUploaded(request.model) ? textsOfTensors(analysis) : null;
    if (own) session.progress.set({ request: { model: request.model, text: own.text } });
    state.set({ ...draft, ...own, ...fit(analysis, whole), ...(lasting && { picture: lasting }) }, "shown");
    draftStore.arrive(draft);
  }

  /** Whether anything had to change. */
  function matchPicture() {
    const change = matchingPicture(draftStore.get(), models());
    if (change) draftStore.put(change, "settle");
    return change !== null;
  }

  /** What is shown is what is wanted. @param {string} [origin] */
  function letGo(origin = "pick") {
    session.cancel();
    draftStore.replace({}, origin);
    if (session.progress.get().phase === "failed") session.progress.set({ phase: "done", error: null });
  }

  return {
    matchPicture,
    letGo,
    /** What the server was asked last, whether or not it has answered. */
    asked: () => asked,
    /** Asks for what is wanted. */
    run() {
      matchPicture();
      return ask();
    },
    /** The same before the models are known. */
    ask,
    /**
     * Brings back what an entry of the history holds.
     * @param {ViewState} shown  as its address says
     * @param {Partial<Waiting>} left
     */
    async back(shown, { draft = {}, isSent = false }) {
      const target = isSent ? { ...shown, ...draft } : shown;
      const { request, analysis } = session.progress.get();
      if (analysis && request && isSame(request, requestOf(target))) {
        state.set({ ...target, ...fit(analysis, target) }, "return");
        letGo("return");
      } else {
        draftStore.replace(target, "return");
        await ask();
      }
      if (!isSent && isSame(requestOf(state.get()), requestOf(shown))) draftStore.put(draft, "return");
    },
    /** Whether what is typed differs from what is shown. */
    isEdited() {
      const { request } = session.progress.get();
      return request === null || !isSame(request, requestOf(draftStore.get()));
    },
  };
}
