/** Truncate a text to what a model accepts. */

import { fetchJson } from "../requests/api_request.js";

/**
 * As much of these texts as the model takes.
 * @param {import("./types.js").AnalysisRequest} request
 * @returns {Promise<import("./types.js").Answer<"/api/truncation", "post">>}
 */
export async function postTruncation({ model, text, text_pair, target_text, chat, system_text }) {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ model, text, text_pair, target_text, chat, system_text });
  return fetchJson("/api/truncation", { method: "POST", body, headers });
}
