/** What is asked of the server on the whole: the list of models, an analysis, the comparison with the library. */

import { ApiError, getModels } from "./api.js";
import { createModelLoading } from "./model_loading.js";
import { createPosting } from "./posting.js";
import { SAMPLES } from "./sample_pictures.js";
import { createSession } from "./session.js";
import { fit } from "./selection.js";

/** @typedef {import("./types.js").AnalysisRequest} AnalysisRequest */
/** @typedef {import("./types.js").Model} Model */
/** @typedef {import("./types.js").Parity} Parity */
/** @typedef {import("./types.js").ViewState} ViewState */

/** Milliseconds. */
const LOOK_AGAIN = 4000;

/**
 * @param {import("./store.js").Store<ViewState>} state
 * @param {import("./given_pictures.js").GivenPictures} pictures
 * @param {() => void} onChange
 */
export function createAnalyst(state, pictures, onChange) {
  const post = createPosting(pictures);
  const session = createSession(post);
  /** @type {Model[]} */
  let models = [];
  let known = { memory: /** @type {import("./types.js").ModelMemory | null} */ (null), anyHubId: false };
  /** @type {ApiError | null} */
  let listProblem = null;
  /** @type {{check: "none" | "running" | "done" | "failed", parity: Parity | null, problem: string}} */
  let comparison = { check: "none", parity: null, problem: "" };
  const loading = createModelLoading({
    ...{ session, onChange },
    model: () => state.get().model,
    onLoaded: () => void list(),
  });
  session.progress.subscribe(onChange);

  async function run() {
    comparison = { check: "none", parity: null, problem: "" };
    const request = requestOf(state.get());
    const analysis = await session.run(request);
    if (!analysis) return;
    const { picture = "" } = request;
    // Whoever follows the link has only the analysis, and that only while the server keeps it.
    const lasting = pictures.settle(picture, analysis.id);
    if (lasting !== picture) session.progress.set({ request: { ...request, picture: lasting } });
    const isStill = state.get().picture === picture;
    state.set({ ...fit(analysis, state.get()), ...(isStill && { picture: lasting }) }, "settle");
  }

  /** A model that reads images needs one, and only such a model does. */
  function matchPicture() {
    const { model, picture } = state.get();
    const reads = models.find((one) => one.id === model)?.reads;
    const nowhere = { part: "", query: null, key: null, rows: "", cols: "" };
    if (reads === "image" && picture === "") state.set({ picture: SAMPLES[0], ...nowhere }, "settle");
    else if (reads === "text" && picture !== "") state.set({ picture: "", ...nowhere }, "settle");
    else return false;
    return true;
  }

  async function start() {
    const isNamed = state.get().model !== "";
    // A link names its model, so its analysis need not wait for the list.
    const listing = list().then(listAgain);
    if (isNamed) void run();
    await listing;
    if (matchPicture() || (!isNamed && state.get().model !== "")) await run();
  }

  /** The server asks the hub in the background: what it did not know at first it knows soon. */
  function listAgain() {
    if (models.some(({ available }) => !available)) setTimeout(() => void list(), LOOK_AGAIN);
  }

  async function list() {
    try {
      const catalogue = await getModels();
      // The same list stays the same object: a list box that is open is not built anew.
      if (JSON.stringify(catalogue.models) !== JSON.stringify(models)) models = catalogue.models;
      known = { memory: catalogue.memory, anyHubId: catalogue.any_hub_id };
      listProblem = null;
      if (state.get().model === "" && catalogue.default !== null) state.set({ model: catalogue.default }, "settle");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      listProblem = error;
    }
    onChange();
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

  return {
    session,
    /** Asks for what the state says. */
    run() {
      matchPicture();
      return run();
    },
    start,
    compare,
    models: () => models,
    /** What the server says of its models as a whole. */
    known: () => known,
    loading: loading.now,
    relist: () => void list(),
    comparison: () => comparison,
    /** The error to show, of the analysis or of the list of models. */
    problem: () => (session.progress.get().phase === "failed" ? session.progress.get().error : listProblem),
    retry: () => (models.length === 0 ? start() : run()),
    /** Whether what is typed differs from what is shown. */
    isEdited() {
      const { request } = session.progress.get();
      return request === null || !isSame(request, requestOf(state.get()));
    },
  };
}

/**
 * Text by text: asked at every change of the page, and texts are long.
 * @param {AnalysisRequest} one
 * @param {AnalysisRequest} other
 */
export function isSame(one, other) {
  const names = /** @type {(keyof AnalysisRequest)[]} */ (Object.keys(one));
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/**
 * @param {ViewState} state
 * @returns {AnalysisRequest}
 */
export function requestOf({ model, text, pair, target, picture, changes, baseline }) {
  if (picture) return { model, text: "", picture, ...(changes && !baseline && { changes }) };
  const texts = { text, ...(pair && { text_pair: pair }), ...(target && { target_text: target }) };
  return { model, ...texts, ...(changes && !baseline && { changes }) };
}
