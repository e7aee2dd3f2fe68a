/**
 * How far the model that is asked for has come into memory. The server is asked while an analysis takes its time; a
 * model on its way is then also asked for by itself, so that it does not depend on one request.
 */

import { deleteLoading, getLoading, isUploaded, postLoading } from "../../api/analyses.js";
import { ApiError } from "../../requests/api_request.js";
import { waitAfter } from "../../requests/retry_policy.js";
import { delay } from "./session.js";

/** @typedef {import("../../api/types.js").Loading} Loading */

/** Milliseconds before anything is asked: most analyses are done by then. */
const PATIENCE = 400;
const EVERY = 500;

/**
 * @param {object} options
 * @param {import("./session.js").Session} options.session
 * @param {() => string} options.model  that is asked for
 * @param {() => void} options.onChange
 * @param {() => void} options.onLoaded  a model that was not in memory is there, or will not be
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
    for (let failures = 0; ;) {
      const now = await getLoading(name, signal).catch((error) => {
        if (signal.aborted) throw error;
        failures += 1;
        const wait = waitAfter(failures, error, Math.random());
        if (wait === null) throw error;
        return delay(wait, signal);
      });
      if (!now) continue;
      failures = 0;
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
