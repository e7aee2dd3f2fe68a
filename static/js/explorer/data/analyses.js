/** What is asked of the server on the whole: the list of models, an analysis, the comparison with the library. */

import { getModels, isUploaded } from "../../api/analyses.js";
import { ApiError } from "../../requests/api_request.js";
import { SHORT } from "../../requests/cached_resource.js";
import { exampleState } from "../state/examples.js";
import { createModelLoading } from "./model_loading.js";
import { pageScheduler } from "../../requests/page_requests.js";
import { createPosting } from "./analysis_request.js";
import { SAMPLES } from "./sample_images.js";
import { createSession } from "./session.js";
import { fit, textsOfTensors } from "../state/selection.js";
import { isSame, requestOf } from "../state/draft.js";

/** @typedef {import("../../api/types.js").Model} Model */
/** @typedef {import("../../api/types.js").Parity} Parity */
/** @typedef {import("../../api/types.js").ViewState} ViewState */

/** Milliseconds. */
const LOOK_AGAIN = 4000;

/**
 * @param {import("../../base/store.js").Store<ViewState>} state  what is shown; before there is anything, what the address asks for
 * @param {import("../state/draft.js").Wanted} wanted
 * @param {import("./images.js").GivenPictures} pictures
 * @param {() => void} onChange
 */
export function createAnalyst(state, wanted, pictures, onChange) {
  const post = createPosting(pictures);
  const session = createSession(post);
  /** @type {Model[]} */
  let models = [];
  let known = { memory: /** @type {import("../../api/types.js").ModelMemory | null} */ (null), anyHubId: false };
  /** @type {import("../../api/types.js").AnalysisRequest | null} */
  let asked = null;
  /** @type {import("../../requests/request_scheduler.js").Job | null} */
  let listing = null;
  /** @type {Promise<void> | null} */
  let listed = null;
  /** @type {{check: "none" | "running" | "done" | "failed", parity: Parity | null, problem: string}} */
  let comparison = { check: "none", parity: null, problem: "" };
  const loading = createModelLoading({
    ...{ session, onChange },
    model: () => wanted.get().model,
    onLoaded: () => void list(),
  });
  session.progress.subscribe(onChange);

  /** Asks for what is wanted. Once it is there, it is what is shown: all of it in one step. */
  async function run() {
    comparison = { check: "none", parity: null, problem: "" };
    const { draft } = wanted.waiting();
    const request = requestOf(wanted.get());
    asked = request;
    wanted.send(true);
    const analysis = await session.run(request);
    if (!analysis) return;
    const { picture = "" } = request;
    // Whoever follows the link has only the analysis, and that only while the server keeps it.
    const lasting = pictures.settle(picture, analysis.id);
    if (lasting !== picture) session.progress.set({ request: { ...request, picture: lasting } });
    const whole = { ...state.get(), ...draft };
    // Beside tensors any text may stand in an address; they are of their own tokens.
    const own = isUploaded(request.model) ? textsOfTensors(analysis) : null;
    if (own) session.progress.set({ request: { model: request.model, text: own.text } });
    state.set({ ...draft, ...own, ...fit(analysis, whole), ...(lasting && { picture: lasting }) }, "shown");
    wanted.arrive(draft);
  }

  /**
   * Brings back what an entry of the history holds.
   * @param {ViewState} shown  as its address says
   * @param {Partial<import("../state/draft.js").Waiting>} left
   */
  async function back(shown, { draft = {}, isSent = false }) {
    const target = isSent ? { ...shown, ...draft } : shown;
    const { request, analysis } = session.progress.get();
    if (analysis && request && isSame(request, requestOf(target))) {
      state.set({ ...target, ...fit(analysis, target) }, "return");
      letGo("return");
    } else {
      wanted.replace(target, "return");
      await run();
    }
    if (!isSent && isSame(requestOf(state.get()), requestOf(shown))) wanted.put(draft, "return");
  }

  /** What is shown is what is wanted. @param {string} [origin] */
  function letGo(origin = "pick") {
    session.cancel();
    wanted.replace({}, origin);
    if (session.progress.get().phase === "failed") session.progress.set({ phase: "done", error: null });
  }

  /** A model that reads images needs one, and only such a model does. */
  function matchPicture() {
    const { model, picture } = wanted.get();
    const reads = models.find((one) => one.id === model)?.reads;
    const nowhere = { part: "", query: null, key: null, rows: "", cols: "" };
    if (reads === "image" && picture === "") wanted.put({ picture: SAMPLES[0], ...nowhere }, "settle");
    else if (reads === "text" && picture !== "") wanted.put({ picture: "", ...nowhere }, "settle");
    else return false;
    return true;
  }

  async function start() {
    const isNamed = wanted.get().model !== "";
    // A link names its model, so its analysis need not wait for the list.
    const listing = list().then(listAgain);
    const first = isNamed ? run() : null;
    await listing;
    if (matchPicture() || (!isNamed && wanted.get().model !== "")) await run();
    await first;
  }

  /**
   * Puts what was typed before the page was loaded again beside what its address shows.
   * @param {Partial<import("../state/draft.js").Waiting> | null} left
   */
  async function startFrom(left) {
    await start();
    const isFree = Object.keys(wanted.waiting().draft).length === 0;
    if (left?.draft && isFree && session.progress.get().analysis) wanted.put(left.draft, "return");
  }

  /** The server asks the hub in the background: what it did not know at first it knows soon. */
  function listAgain() {
    if (models.some(({ available }) => !available)) setTimeout(() => void list(), LOOK_AGAIN);
  }

  /** Resolves once they are there, however often that takes. @returns {Promise<void>} */
  function list() {
    if (listing && listed) return listed;
    listed = new Promise((resolve) => {
      listing = pageScheduler().submit({
        ...{ lane: "models", limit: SHORT, send: getModels, onChange },
        onValue(catalogue) {
          listing = null;
          // The same list stays the same object: a list box that is open is not built anew.
          if (JSON.stringify(catalogue.models) !== JSON.stringify(models)) models = catalogue.models;
          known = { memory: catalogue.memory, anyHubId: catalogue.any_hub_id };
          if (state.get().model === "" && catalogue.default !== null) state.set({ model: catalogue.default }, "settle");
          onChange();
          resolve();
        },
      });
    });
    return listed;
  }

  /** @returns {ApiError | null} */
  function listProblem() {
    const failure = models.length === 0 ? listing?.failure() : null;
    return failure?.kind === "failed" && failure.error instanceof ApiError ? failure.error : null;
  }

  async function compare() {
    const { request } = session.progress.get();
    if (!request || comparison.check === "running") return;
    const mine = { check: /** @type {const} */ ("running"), parity: null, problem: "" };
    comparison = mine;
    onChange();
    try {
      // What is changed here the library does not know: the comparison is of the model as it is.
      const { parity } = await post({ ...request, changes: "", parity: true });
      if (comparison === mine) comparison = { check: "done", parity, problem: "" };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (comparison === mine) comparison = { check: "failed", parity: null, problem: error.message };
    }
    onChange();
  }

  /** Asks for what the state says. */
  function runMatched() {
    matchPicture();
    return run();
  }

  return {
    session,
    run: runMatched,
    /**
     * Asks for an example, to be shown at one stage of its way.
     * @param {import("../state/examples.js").Example} example
     * @param {import("../../api/types.js").Stage} [stage]
     */
    open(example, stage = "weights") {
      wanted.put(exampleState(example, wanted.get(), stage), "pick");
      void runMatched();
    },
    back,
    letGo: () => letGo(),
    /** What the server was asked last, whether or not it has answered. */
    asked: () => asked,
    start: startFrom,
    compare,
    models: () => models,
    /** The model in which a text is analysed unless another is named. */
    readsText: () => models.find(({ available, reads }) => available && reads !== "image") ?? null,
    /** What the server says of its models as a whole. */
    known: () => known,
    loading: loading.now,
    relist: () => void list(),
    comparison: () => comparison,
    /** The error to show, of the analysis or of the list of models. */
    problem: () => (session.progress.get().phase === "failed" ? session.progress.get().error : listProblem()),
    retry() {
      const failure = models.length === 0 ? listing?.failure() : null;
      if (failure) failure.retry();
      else void run();
    },
    /** Whether what is typed differs from what is shown. */
    isEdited() {
      const { request } = session.progress.get();
      return request === null || !isSame(request, requestOf(wanted.get()));
    },
  };
}
