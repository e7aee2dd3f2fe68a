/** What is asked of the server on the whole: the list of models, an analysis, the comparison with the library. */

import { ApiError, getModels } from "./api.js";
import { createPosting } from "./posting.js";
import { createSession } from "./session.js";
import { fit } from "./selection.js";

/** @typedef {import("./types.js").AnalysisRequest} AnalysisRequest */
/** @typedef {import("./types.js").Model} Model */
/** @typedef {import("./types.js").Parity} Parity */
/** @typedef {import("./types.js").ViewState} ViewState */

/**
 * @param {import("./store.js").Store<ViewState>} state
 * @param {() => void} onChange
 */
export function createAnalyst(state, onChange) {
  const post = createPosting();
  const session = createSession(post);
  /** @type {Model[]} */
  let models = [];
  /** @type {ApiError | null} */
  let listProblem = null;
  /** @type {{check: "none" | "running" | "done" | "failed", parity: Parity | null, problem: string}} */
  let comparison = { check: "none", parity: null, problem: "" };
  session.progress.subscribe(onChange);

  async function run() {
    comparison = { check: "none", parity: null, problem: "" };
    const analysis = await session.run(requestOf(state.get()));
    if (analysis) state.set(fit(analysis, state.get()), "settle");
  }

  async function start() {
    const isNamed = state.get().model !== "";
    // A link names its model, so its analysis need not wait for the list.
    const listing = list();
    if (isNamed) void run();
    await listing;
    if (!isNamed && state.get().model !== "") await run();
  }

  async function list() {
    try {
      const catalogue = await getModels();
      models = catalogue.models;
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
    run,
    start,
    compare,
    models: () => models,
    comparison: () => comparison,
    /** The error to show, of the analysis or of the list of models. */
    problem: () => (session.progress.get().phase === "failed" ? session.progress.get().error : listProblem),
    retry: () => (models.length === 0 ? start() : run()),
    /** Whether what is typed differs from what is shown. */
    isEdited() {
      const { request } = session.progress.get();
      return request === null || JSON.stringify(request) !== JSON.stringify(requestOf(state.get()));
    },
  };
}

/**
 * @param {ViewState} state
 * @returns {AnalysisRequest}
 */
export function requestOf({ model, text, pair, target, changes, baseline }) {
  const texts = { text, ...(pair && { text_pair: pair }), ...(target && { target_text: target }) };
  return { model, ...texts, ...(changes && !baseline && { changes }) };
}
