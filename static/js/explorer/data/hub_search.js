/**
 * Search the Hugging Face Hub, one question at a time: by a part of an id, or for one model by its whole id. What a model
 * is, which a search does not tell, is asked for by itself.
 */

import { previewModel, searchHub } from "../../api/models.js";
import { ApiError } from "../../requests/api_request.js";

/** @typedef {import("../../api/types.js").FoundModel} FoundModel */
/** @typedef {import("../../api/types.js").ModelFacts} ModelFacts */

/**
 * @typedef {object} HubAnswer
 * @property {string} query  "" before anything is asked
 * @property {"idle" | "asking" | "done" | "failed"} phase
 * @property {(FoundModel | ModelFacts)[]} models
 * @property {string} message  why it failed
 * @property {Readonly<Record<string, Preview>>} previews  by id
 *
 * @typedef {{phase: "asking" | "done" | "failed", facts: ModelFacts | null, message: string}} Preview  of one model
 */

/** @type {HubAnswer} */
const NOTHING = Object.freeze({ query: "", phase: "idle", models: [], message: "", previews: {} });
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

  /** @param {Partial<HubAnswer>} next */
  function tell(next) {
    answer = { ...answer, ...next };
    onChange();
  }

  /** @param {string} id @param {Preview} preview */
  const keep = (id, preview) => tell({ previews: { ...answer.previews, [id]: preview } });

  return {
    now: () => answer,
    /**
     * Asks what a model is, unless that is known.
     * @param {string} id
     */
    async look(id) {
      if ((answer.previews[id]?.phase ?? "failed") !== "failed") return;
      keep(id, { phase: "asking", facts: null, message: "" });
      try {
        keep(id, { phase: "done", facts: await preview(id), message: "" });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        keep(id, { phase: "failed", facts: null, message: error.message });
      }
    },
    /** @param {string} text */
    async ask(text) {
      const query = text.trim();
      if (query === "") return;
      asking?.abort();
      const mine = (asking = new AbortController());
      tell({ query, phase: "asking", message: "" });
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
