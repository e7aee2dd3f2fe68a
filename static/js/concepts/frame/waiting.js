/** Says what the page waits for: an answer, or a model that has to be loaded first. */

import { getLoading } from "../../api/models.js";
import { need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/** Milliseconds between questions about a model that is being loaded. */
const EVERY = 1000;
const IN_MEMORY = new Set(["idle", "ready", "failed"]);

/**
 * The words stand in the page, and a style shows them while it is busy for longer than a moment.
 * @template {import("./concept.js").Types} T
 * @param {import("./concept.js").Page<T>} page
 * @returns {(isPending: boolean) => void}
 */
export function bindWaiting({ root, state, file }) {
  const place = need(root, "#waiting");
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  async function look() {
    const { model } = /** @type {{model?: string}} */ (state.get());
    const isLoading = model ? await isBeingLoaded(model) : false;
    if (timer === undefined) return;
    const words = isLoading ? t("Loading the model …") : t("Computing …");
    if (place.textContent !== words) place.textContent = words;
    timer = model ? setTimeout(look, EVERY) : timer;
  }

  return (isPending) => {
    if (isPending && !file) timer ??= setTimeout(look, EVERY);
    else if (timer !== undefined) {
      clearTimeout(timer);
      timer = undefined;
      place.textContent = t("Computing …");
    }
  };
}

/** @param {string} model */
async function isBeingLoaded(model) {
  try {
    return !IN_MEMORY.has((await getLoading(model)).state);
  } catch {
    return false; // the call that needs the model says what is wrong
  }
}
