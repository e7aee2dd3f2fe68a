/** Somebody's own tensors: a file is chosen, sent, and looked at. What is wrong with it is said beside it. */

import { ApiError, postTensors } from "../api.js";
import { el, fill } from "../dom.js";
import { t } from "../i18n.js";

/** @typedef {import("../types.js").Analysis} Analysis */

/** As a file dialogue offers them. */
const KINDS = ".npz,.safetensors,.json";

/**
 * @param {HTMLElement} element
 * @param {object} _data  nothing: what is shown depends on the file alone
 * @param {{onUploaded: (analysis: Analysis) => void}} options
 * @returns {import("../types.js").View<object>}
 */
export function uploadView(element, _data, { onUploaded }) {
  const hint = t("Attention weights, or queries and keys: npz, safetensors or JSON");
  const input = el("input", { type: "file", id: "upload-file", accept: KINDS, "aria-describedby": "upload-error" });
  const status = el("span", { class: "note", role: "status" });
  const problem = el("p", { id: "upload-error", class: "field-error", role: "alert", hidden: true });
  /** @type {AbortController | null} */
  let sending = null;
  input.addEventListener("change", () => void send());
  fill(
    element,
    el("summary", {}, t("Own tensors")),
    el("div", { class: "field" }, el("label", { for: "upload-file" }, hint), input, status, problem),
  );

  async function send() {
    const file = input.files?.[0];
    if (!file) return;
    sending?.abort();
    const mine = new AbortController();
    sending = mine;
    tell("");
    status.textContent = t("Uploading …");
    try {
      const analysis = await postTensors(file, mine.signal);
      if (sending === mine) onUploaded(analysis);
    } catch (error) {
      if (mine.signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      tell(error.message);
    }
    status.textContent = "";
    input.value = ""; // so that the same file, mended, can be chosen again
  }

  /** @param {string} message */
  function tell(message) {
    problem.hidden = message === "";
    problem.textContent = message;
  }

  return {
    update() {},
    destroy() {
      sending?.abort();
      element.replaceChildren();
    },
  };
}
