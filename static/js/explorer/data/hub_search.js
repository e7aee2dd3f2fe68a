/** Search the Hugging Face Hub, one question at a time: by a part of an id, or for one model by its whole id. */

import { previewModel, searchHub } from "../../api/analyses.js";
import { ApiError } from "../../requests/api_request.js";

/** @typedef {import("../../api/types.js").FoundModel} FoundModel */
/** @typedef {import("../../api/types.js").ModelFacts} ModelFacts */

/**
 * @typedef {object} HubAnswer
 * @property {string} query  "" before anything is asked
 * @property {"idle" | "asking" | "done" | "failed"} phase
 * @property {(FoundModel | ModelFacts)[]} models
 * @property {string} message  why it failed
 */

/** @type {HubAnswer} */
const NOTHING = Object.freeze({ query: "", phase: "idle", models: [], message: "" });
/** owner/name */
const WHOLE_ID = /^[\w.-]+\/[\w.-]+$/;

/**
 * @param {() => void} onChange
 * @param {{search: typeof searchHub, preview: typeof previewModel}} [hub]
 */
export function createHubSearch(onChange, { search, preview } = { search: searchHub, preview: previewModel }) {
  let answer = NOTHING;
  /** @type {AbortController | null} */
  let asking = null;

  /** @param {HubAnswer} next */
  function tell(next) {
    answer = next;
    onChange();
  }

  return {
    now: () => answer,
    /** @param {string} text */
    async ask(text) {
      const query = text.trim();
      if (query === "") return;
      asking?.abort();
      const mine = (asking = new AbortController());
      tell({ ...answer, query, phase: "asking", message: "" });
      try {
        const { signal } = mine;
        const models = WHOLE_ID.test(query) ? [await preview(query, signal)] : await search(query, signal);
        if (asking === mine) tell({ query, phase: "done", models, message: "" });
      } catch (error) {
        if (mine.signal.aborted) return;
        if (!(error instanceof ApiError)) throw error;
        tell({ query, phase: "failed", models: [], message: error.message });
      }
    },
  };
}
