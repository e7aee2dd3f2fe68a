/** The models that the server lists. */

import { getModels } from "../../api/models.js";
import { ApiError } from "../../requests/api_request.js";
import { SHORT } from "../../requests/cached_resource.js";
import { pageScheduler } from "../../requests/page_requests.js";

/** @typedef {import("../../api/types.js").Model} Model */
/** @typedef {import("../../requests/request_scheduler.js").Job} Job */

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
  /** @type {Model[]} */
  let models = [];
  /** The list and the default as they came. */
  let said = "";
  let known = { memory: /** @type {import("../../api/types.js").ModelMemory | null} */ (null), anyHubId: false };
  /** @type {string | null} */
  let opening = null;
  /** @type {{job: Job, done: Promise<void>} | null} */
  let loading = null;

  /** Resolves once they are there, however often that takes. @returns {Promise<void>} */
  function load() {
    loading ??= ask();
    return loading.done;
  }

  function ask() {
    /** @type {() => void} */
    let resolve = () => undefined;
    const done = new Promise((/** @type {(value: void) => void} */ end) => (resolve = end));
    const job = scheduler.submit({
      lane: "models",
      limit: SHORT,
      send: read,
      onChange,
      onValue(catalogue) {
        loading = null;
        known = { memory: catalogue.memory, anyHubId: catalogue.any_hub_id };
        // The same list stays the same object, and nothing is drawn anew for it: a list box that is open stays as it is.
        const isSame = models.length > 0 && JSON.stringify([catalogue.models, catalogue.default]) === said;
        opening = catalogue.default;
        if (opening !== null) onDefault(opening);
        if (!isSame) {
          models = catalogue.models;
          said = JSON.stringify([models, opening]);
          onChange();
        }
        resolve();
      },
    });
    return { job, done };
  }

  /** Why there is no list at all. */
  const failure = () => (models.length === 0 ? (loading?.job.failure() ?? null) : null);

  return {
    load,
    failure,
    /** The server asks the hub in the background: what it did not know at first it knows soon. */
    loadAgain() {
      if (models.some(({ available }) => !available)) setTimeout(() => void load(), LOOK_AGAIN);
    },
    models: () => models,
    /** The server's default model, which reads text; null if there is none. */
    opening: () => models.find(({ id }) => id === opening) ?? null,
    /** What the server says of its models as a whole; whoever shows it asks for the list and waits. */
    known: () => known,
    /** The error to show. @returns {ApiError | null} */
    problem() {
      const current = failure();
      return current?.kind === "failed" && current.error instanceof ApiError ? current.error : null;
    },
  };
}
