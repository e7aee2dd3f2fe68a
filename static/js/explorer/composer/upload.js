/** Upload own tensors: choose a file, send it, show the analysis, or the error beside the field. */

import { postTensors } from "../../api/analyses.js";
import { ApiError } from "../../requests/api_request.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */

/** As a file dialogue offers them. */
const KINDS = ".npz,.safetensors,.json";

/**
 * @typedef {object} UploadData
 * @property {File | null} dropped  onto the page
 * @property {string} refusal  why something dropped is not taken
 */

/**
 * @param {HTMLElement} element
 * @param {UploadData} data
 * @param {{onUploaded: (analysis: Analysis) => void}} options
 * @returns {import("../../base/mount.js").View<UploadData>}
 */
export function uploadView(element, data, { onUploaded }) {
  const hint = t("Attention weights, or queries and keys: npz, safetensors or JSON");
  const input = el("input", { type: "file", id: "upload-file", accept: KINDS, "aria-describedby": "upload-error" });
  const status = el("span", { class: "note", role: "status" });
  const problem = el("p", { id: "upload-error", class: "field-error", role: "alert", hidden: true });
  /** @type {AbortController | null} */
  let sending = null;
  let current = data;
  input.addEventListener("change", () => void send(input.files?.[0]));
  fill(
    element,
    el("summary", {}, t("Own tensors")),
    el("div", { class: "field" }, el("label", { for: "upload-file" }, hint), input, status, problem, stay()),
  );

  /** @param {File | undefined} file */
  async function send(file) {
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
    update(next) {
      const before = current;
      current = next;
      if (next.refusal !== before.refusal) tell(next.refusal);
      if (next.dropped === before.dropped && !next.refusal) return;
      /** @type {HTMLDetailsElement} */ (element).open = true;
      if (next.dropped && next.dropped !== before.dropped) void send(next.dropped);
    },
    destroy() {
      sending?.abort();
      element.replaceChildren();
    },
  };
}

function stay() {
  return el(
    "p",
    { class: "note" },
    t("You can also drop a file anywhere on the page. The server keeps it only for a while, then asks for it again."),
  );
}
