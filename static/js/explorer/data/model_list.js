/** The models that the server lists. */

import { getModels } from "../../api/models.js";
import { ApiError } from "../../requests/api_request.js";
import { SHORT } from "../../requests/cached_resource.js";
import { pageScheduler } from "../../requests/page_requests.js";

/** @typedef {import("../../api/types.js").Model} Model */
/** @typedef {import("../../requests/request_scheduler.js").Job} Job */

/**
 * @typedef {object} Catalogue
 * @property {Model[]} models
 * @property {string | null} default  the model that a page opens with
 * @property {import("../../api/types.js").ModelMemory | null} memory
 * @property {boolean} any_hub_id
 */

/** Before there is an answer. @type {Catalogue} */
const NONE = { models: [], default: null, memory: null, any_hub_id: false };
/** Milliseconds. */
const LOOK_AGAIN = 4000;

/**
 * @param {object} options
 * @param {() => void} options.onChange  the list is another one, or there is none for another reason
 * @param {(model: string) => void} options.onDefault  the server's default model
 * @param {typeof getModels} [read]
 * @param {import("../../requests/request_scheduler.js").Scheduler} [scheduler]
 */
export function createModelList({ onChange, onDefault }, read = getModels, scheduler = pageScheduler()) {
  let last = NONE;
  /** @type {Promise<void> | null} */
  let loading = null;
  /** @type {Job | null} */
  let job = null;

  /** Resolves once they are there, however often that takes. @returns {Promise<void>} */
  function load() {
    loading ??= new Promise((resolve) => {
      job = scheduler.submit({
        lane: "models",
        limit: SHORT,
        send: read,
        onChange,
        onValue(catalogue) {
          loading = job = null;
          take(catalogue);
          resolve();
        },
      });
    });
    return loading;
  }

  /** @param {Catalogue} catalogue */
  function take(catalogue) {
    // The same list stays the same object, and nothing is drawn anew for it: a list box that is open stays as it is.
    const isSame = models().length > 0 && listed(catalogue) === listed(last);
    last = isSame ? { ...catalogue, models: models() } : catalogue;
    if (last.default !== null) onDefault(last.default);
    if (!isSame) onChange();
  }

  const models = () => last.models;

  /** Why there is no list at all. */
  const failure = () => (models().length === 0 ? (job?.failure() ?? null) : null);

  return {
    load,
    failure,
    /** The server asks the hub in the background: what it did not know at first it knows soon. */
    loadAgain() {
      if (models().some(({ available }) => !available)) setTimeout(() => void load(), LOOK_AGAIN);
    },
    models,
    /** The server's default model, which reads text; null if there is none. */
    opening: () => models().find(({ id }) => id === last.default) ?? null,
    /** What the server says of its models as a whole; whoever shows it asks for the list and waits. */
    known: () => ({ memory: last.memory, anyHubId: last.any_hub_id }),
    /** The error to show. @returns {ApiError | null} */
    problem() {
      const current = failure();
      return current?.kind === "failed" && current.error instanceof ApiError ? current.error : null;
    },
  };
}

/** @param {Catalogue} catalogue */
function listed(catalogue) {
  return JSON.stringify([catalogue.models, catalogue.default]);
}
