/** Run the draft: request its analysis and, when the answer is there, change the whole state in one step. */

import { isUploaded } from "../../api/analyses.js";
import { isSound } from "../state/given_names.js";
import { SAMPLES } from "./images.js";
import { carriedOver } from "../state/carry_over.js";
import { fit, partOf, textsOfTensors } from "../state/selection.js";
import { isSame, requestOf } from "../state/draft.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../api/types.js").AnalysisRequest} AnalysisRequest */
/** @typedef {import("../../api/types.js").Model} Model */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */
/** @typedef {import("../state/draft.js").Waiting} Waiting */

const INPUTS = /** @type {const} */ (["model", "text", "pair", "target", "chat", "system", "picture"]);

/**
 * The change that gives a model that reads images an image, one that reads sounds a sound, and one that reads text none.
 * @param {Pick<ViewState, "model" | "picture">} wanted
 * @param {Model[]} models
 * @returns {Partial<ViewState> | null}  null if nothing has to change
 */
export function matchingPicture({ model, picture }, models) {
  const reads = models.find(({ id }) => id === model)?.reads;
  const nowhere = { part: "", query: null, key: null, rows: "", cols: "" };
  if (reads === "image" && (picture === "" || isSound(picture))) return { picture: SAMPLES[0], ...nowhere };
  if (reads === "sound" && !isSound(picture)) return { picture: "sound-vowels", target: "", ...nowhere };
  return reads === "text" && picture !== "" ? { picture: "", ...nowhere } : null;
}

/**
 * @typedef {(analysis: Analysis, part: import("../../api/types.js").Part) =>
 *   import("../state/head_list.js").HeadAt | null} Suggest  a head that is worth seeing
 */

/**
 * @typedef {object} Page
 * @property {import("../../base/store.js").Store<ViewState>} state  what is shown; before there is anything, what the address asks for
 * @property {import("../state/draft.js").DraftStore} draftStore
 * @property {Pick<import("./session.js").Session, "progress" | "run" | "cancel">} session
 * @property {Pick<import("./images.js").GivenImages, "settle">} images
 * @property {() => Model[]} models
 * @property {() => void} onAsk
 * @property {Suggest} [suggest]
 */

/**
 * Whether two requests are of the same texts in different models.
 * @param {AnalysisRequest | null} before
 * @param {AnalysisRequest} after
 */
function isOtherModel(before, after) {
  if (!before || before.model === after.model || isUploaded(before.model) || isUploaded(after.model)) return false;
  const isText = !("picture" in before) && !("picture" in after);
  return isText && isSame({ ...before, model: "", changes: "" }, { ...after, model: "", changes: "" });
}

/**
 * What is chosen in another model's analysis of the same text: the same words; the same head, if there is one.
 * @param {Analysis} before
 * @param {Analysis} after
 * @param {ViewState} chosen
 * @param {Suggest} suggest
 * @returns {Partial<ViewState>}
 */
function moved(before, after, chosen, suggest) {
  const part = partOf(after, chosen.part);
  const isThere = chosen.layer < part.layers && chosen.head < part.heads;
  const head = isThere ? null : suggest(after, part);
  return { ...carriedOver(before, after, chosen), ...(head && { layer: head.layer, head: head.head }) };
}

/**
 * The change of the whole state that shows an answer: what was asked for, inside what there is.
 * @param {ViewState} shown  so far
 * @param {Partial<ViewState>} asked
 * @param {Analysis} analysis
 * @returns {Partial<ViewState>}
 */
export function changeShown(shown, asked, analysis) {
  const whole = { ...shown, ...asked };
  // Notes are on cells of the text and model that they were made on.
  const notes = asked.notes ?? (INPUTS.some((name) => asked[name] !== undefined) ? "" : shown.notes);
  return { ...asked, notes, ...fit(analysis, { ...whole, ...soundWindow(analysis, whole) }) };
}

/**
 * Requests drafts, and shows their answers.
 * @param {Page} page
 */
function createRequests({ state, draftStore, session, images, models, onAsk, suggest = () => null }) {
  /** @type {AnalysisRequest | null} */
  let asked = null;

  /** @param {import("../state/draft.js").Draft} [draft] */
  async function ask(draft = draftStore.waiting().draft) {
    onAsk();
    const request = requestOf({ ...state.get(), ...draft });
    asked = request;
    if (draft === draftStore.waiting().draft) draftStore.send(true);
    const before = session.progress.get();
    const analysis = await session.run(request);
    if (!analysis) return;
    const { picture = "" } = request;
    // In a link, an image is named by its analysis, for as long as the server keeps that.
    const lasting = images.settle(picture, analysis.id);
    if (lasting !== picture) session.progress.set({ request: { ...request, picture: lasting } });
    // An address may combine tensors with any text; their own tokens replace it.
    const own = isUploaded(request.model) ? textsOfTensors(analysis) : null;
    if (own) session.progress.set({ request: { model: request.model, text: own.text } });
    const isMoved = isOtherModel(before.request, request) && draft.query === undefined;
    const kept = isMoved && before.analysis ? moved(before.analysis, analysis, state.get(), suggest) : {};
    const change = changeShown(state.get(), { ...draft, ...kept }, analysis);
    state.set({ ...change, ...own, ...(lasting && { picture: lasting }) }, "shown");
    draftStore.arrive(draft);
  }

  /** Adapts the draft to whether its model reads images. @returns {boolean} whether anything changed */
  function matchPicture() {
    const change = matchingPicture(draftStore.get(), models());
    if (change) draftStore.put(change, "settle");
    return change !== null;
  }

  return {
    matchPicture,
    /** Requests the draft. */
    run() {
      matchPicture();
      return ask();
    },
    /** The same before the models are known. */
    ask: () => ask(),
    /** Requests what the address asks for; what has been typed since stays a draft. */
    askFirst: () => ask({}),
    /** The last request, answered or not. */
    asked: () => asked,
  };
}

/** @param {Page} page */
export function createShownAnalysis(page) {
  const { state, draftStore, session } = page;
  const requests = createRequests(page);

  /**
   * Shows what an address says: at once, where that is of the analysis that is shown.
   * @param {ViewState} target
   * @param {{shown?: string, asked?: string}} [origins]  of the change, in the one case and in the other
   */
  async function goTo(target, { shown = "pick", asked: sent = "pick" } = {}) {
    const { request, analysis } = session.progress.get();
    if (analysis && request && isSame(request, requestOf(target))) {
      state.set({ ...target, ...fit(analysis, target) }, shown);
      letGo(sent);
    } else {
      draftStore.replace(target, sent);
      await requests.ask();
    }
  }

  /** Discards the draft and cancels its request. @param {string} [origin] */
  function letGo(origin = "pick") {
    session.cancel();
    draftStore.replace({}, origin);
    if (session.progress.get().phase === "failed") session.progress.set({ phase: "done", error: null });
  }

  return {
    ...requests,
    letGo,
    goTo,
    /**
     * Restores an entry of the browser's history.
     * @param {ViewState} shown  as its address says
     * @param {Partial<Waiting>} left
     */
    async back(shown, { draft = {}, isSent = false }) {
      const target = isSent ? { ...shown, ...draft } : shown;
      // What was sent from that entry has been answered since: its address is written anew.
      await goTo(target, { shown: isSent ? "shown" : "return", asked: "return" });
      if (!isSent && isSame(requestOf(state.get()), requestOf(shown))) draftStore.put(draft, "return");
    },
    /** Whether the draft differs from the request of the shown analysis. */
    isEdited() {
      const { request } = session.progress.get();
      return request === null || !isSame(request, requestOf(draftStore.get()));
    },
  };
}

/**
 * The window that a sound fills, where no other is asked for: what follows is the silence that the model adds.
 * @param {import("../../api/types.js").Analysis} analysis
 * @param {ViewState} wanted
 * @returns {Partial<ViewState>}
 */
export function soundWindow(analysis, { part: name, rows, cols }) {
  const count = analysis.tokens.filter((token) => token.seconds && !token.special).length;
  const isFilledUp = analysis.sound && analysis.sound.bands === 1 && count > 0 && count < analysis.tokens.length;
  if (!isFilledUp || rows || cols) return {};
  const part = partOf(analysis, name);
  const window = (/** @type {string} */ side) => (side === "source" ? `0:${count}` : "");
  return { rows: window(part.query_side), cols: window(part.key_side) };
}
