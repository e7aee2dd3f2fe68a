/** How much of a text a model takes. */

import { fetchJson } from "../requests/api_request.js";

/**
 * As much of these texts as the model takes.
 * @param {import("./types.js").AnalysisRequest} request
 * @returns {Promise<{text: string, text_pair: string | null, target_text: string | null}>}
 */
export async function postTruncation({ model, text, text_pair, target_text }) {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ model, text, text_pair, target_text });
  return fetchJson("/api/truncation", { method: "POST", body, headers });
}
