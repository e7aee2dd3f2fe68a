/**
 * Progress of loading the requested model. The server is polled while an analysis takes long; a model that is loading
 * is then also requested in the background, so that it does not depend on one connection.
 */

import { isUploaded } from "../../api/analyses.js";
import { deleteLoading, getLoading, postLoading } from "../../api/models.js";
import { ApiError } from "../../requests/api_request.js";
import { waitAfter } from "../../requests/retry_policy.js";

/** @typedef {import("../../api/types.js").Loading} Loading */

/**
 * @typedef {object} ModelPurpose  what a model is chosen for in the model picker
 * @property {string} title  of the dialog
 * @property {(model: Partial<import("../../api/types.js").Model> & {id: string}) => string} refusalOf  why a model does
 *   not fit; "" where it does
 * @property {() => {model: string, progress: LoadingProgress} | null} now  null: not known yet; the model that is asked for, and how far it is
 * @property {(model: string) => void} onChoose
 * @property {() => void} onCancel
 * @property {() => void} onRetry
 *
 * @typedef {object} LoadingProgress
 * @property {import("./session.js").Progress} progress
 * @property {string} summary  what is shown when all is well
 * @property {Loading | null} loading  of the model that is asked for
 * @property {string} problem  an error that belongs to no field of the form
 */

/** Milliseconds before the first poll: most analyses are done by then. */
const PATIENCE = 400;
const EVERY = 500;

/**
 * @param {object} options
 * @param {import("./session.js").Session} options.session
 * @param {() => string} options.model  the requested one
 * @param {() => void} options.onChange
 * @param {() => void} options.onLoaded  a model has been loaded, or could not be
 */
export function createModelLoading({ session, model, onChange, onLoaded }) {
  /** @type {Loading | null} */
  let told = null;
  /** @type {{since: number, model: string, stop: AbortController} | null} */
  let watched = null;
  let held = "";

  session.progress.subscribe(({ phase, since }) => {
    const isBusy = phase === "running" || phase === "waiting";
    if (isBusy && watched?.since === since) return;
    end(phase === "idle" || isBusy);
    if (isBusy && !isUploaded(model())) begin(since);
  });

  /** @param {boolean} isGivenUp */
  function end(isGivenUp) {
    watched?.stop.abort();
    const wasTold = told !== null;
    if (held !== "" && isGivenUp) void quietly(deleteLoading(held));
    watched = told = null;
    held = "";
    if (wasTold) onLoaded();
  }

  /** @param {number} since */
  function begin(since) {
    watched = { since, model: model(), stop: new AbortController() };
    void quietly(watch(watched.model, watched.stop.signal));
  }

  /**
   * @param {string} name
   * @param {AbortSignal} signal
   */
  async function watch(name, signal) {
    await delay(PATIENCE, signal);
    for (;;) {
      const now = await answered(name, signal);
      const isUnderWay = !["idle", "ready", "failed"].includes(now.state);
      told = isUnderWay ? now : null;
      if (isUnderWay && held === "") {
        held = name;
        await postLoading(name, signal);
      }
      onChange();
      await delay(EVERY, signal);
    }
  }

  return {
    /** How far it is; null where nothing is being loaded. */
    now: () => told,
  };
}

/**
 * Asks how far it is, after temporary failures again.
 * @param {string} name
 * @param {AbortSignal} signal
 * @returns {Promise<Loading>}
 */
async function answered(name, signal) {
  for (let failures = 1; ; failures += 1) {
    try {
      return await getLoading(name, signal);
    } catch (error) {
      const wait = signal.aborted ? null : waitAfter(failures, error, Math.random());
      if (wait === null) throw error;
      await delay(wait, signal);
    }
  }
}

/**
 * What goes wrong here the analysis itself will tell.
 * @param {Promise<unknown>} asked
 */
async function quietly(asked) {
  try {
    await asked;
  } catch (error) {
    const isExpected = error instanceof ApiError || (error instanceof DOMException && error.name === "AbortError");
    if (!isExpected) throw error;
  }
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function delay(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
    function done() {
      signal.removeEventListener("abort", stop);
      resolve();
    }
    function stop() {
      clearTimeout(timer);
      reject(signal.reason);
    }
  });
}
