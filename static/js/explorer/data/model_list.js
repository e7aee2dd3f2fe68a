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
  const catalogue = createCatalogue();
  const { models } = catalogue;
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
      onValue(answer) {
        loading = null;
        const isOther = catalogue.take(answer);
        if (answer.default !== null) onDefault(answer.default);
        if (isOther) onChange();
        resolve();
      },
    });
    return { job, done };
  }

  /** Why there is no list at all. */
  const failure = () => (models().length === 0 ? (loading?.job.failure() ?? null) : null);

  return {
    load,
    failure,
    /** The server asks the hub in the background: what it did not know at first it knows soon. */
    loadAgain() {
      if (models().some(({ available }) => !available)) setTimeout(() => void load(), LOOK_AGAIN);
    },
    models,
    opening: catalogue.opening,
    known: catalogue.known,
    /** The error to show. @returns {ApiError | null} */
    problem() {
      const current = failure();
      return current?.kind === "failed" && current.error instanceof ApiError ? current.error : null;
    },
  };
}

/** What the server last answered of its models. */
function createCatalogue() {
  /** @type {Model[]} */
  let models = [];
  /** @type {string | null} */
  let opening = null;
  /** The list and the default as they came. */
  let said = "";
  let known = { memory: /** @type {import("../../api/types.js").ModelMemory | null} */ (null), anyHubId: false };
  return {
    /** @param {Awaited<ReturnType<typeof getModels>>} answer @returns {boolean}  whether it is another list */
    take(answer) {
      known = { memory: answer.memory, anyHubId: answer.any_hub_id };
      opening = answer.default;
      const now = JSON.stringify([answer.models, opening]);
      // The same list stays the same object, and nothing is drawn anew for it: a list box that is open stays as it is.
      if (models.length > 0 && now === said) return false;
      models = answer.models;
      said = now;
      return true;
    },
    models: () => models,
    /** The server's default model, which reads text; null if there is none. */
    opening: () => models.find(({ id }) => id === opening) ?? null,
    /** What the server says of its models as a whole; whoever shows it asks for the list and waits. */
    known: () => known,
  };
}
