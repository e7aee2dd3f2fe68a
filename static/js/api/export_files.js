/** Download files from the server with progress; errors are those of `requests/api_request.js`. */

import { ApiError, reach, refusal } from "../requests/api_request.js";
import { t } from "../base/i18n.js";

/** @typedef {{file: Blob, name: string}} Exported */

/**
 * @param {string} id  of an analysis
 * @param {Record<string, string | number | null>} query  what of it, as the API takes it; null is left out
 * @param {{signal: AbortSignal, onBytes: (bytes: number) => void}} options
 * @returns {Promise<Exported>}
 */
export async function getExport(id, query, { signal, onBytes }) {
  const parameters = Object.entries(query).filter(([, value]) => value !== null && value !== "");
  const search = new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]));
  const response = await reach(`/api/analyses/${encodeURIComponent(id)}/export?${search}`, { signal });
  if (!response.ok) throw await refusal(response, signal);
  const type = response.headers.get("Content-Type") ?? "";
  const name = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1] ?? "attention";
  return { file: new Blob(await pieces(response, onBytes, signal), { type }), name };
}

/**
 * @param {Response} response
 * @param {(bytes: number) => void} onBytes
 * @param {AbortSignal} signal
 * @returns {Promise<BlobPart[]>}
 */
async function pieces(response, onBytes, signal) {
  /** @type {BlobPart[]} */
  const pieces = [];
  let bytes = 0;
  try {
    const reader = response.body?.getReader();
    for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) {
      pieces.push(piece.value);
      bytes += piece.value.length;
      onBytes(bytes);
    }
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new ApiError(t("The download was interrupted. Try again."), { code: "unreachable" });
  }
  return pieces;
}

/**
 * A PowerPoint file.
 * @param {import("./types.js").Schemas["Talk"]} talk
 * @param {AbortSignal} signal
 */
export function postTalk(talk, signal) {
  return fileOf("/api/talk", talk, signal);
}

/**
 * A film as a GIF.
 * @param {import("./types.js").Body<"film">} film
 * @param {AbortSignal} signal
 */
export function postFilm(film, signal) {
  return fileOf("/api/film", film, signal);
}

/**
 * @param {string} path
 * @param {object} body
 * @param {AbortSignal} signal
 * @returns {Promise<Blob>}
 */
async function fileOf(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  const response = await reach(path, { method: "POST", body: JSON.stringify(body), headers, signal });
  if (!response.ok) throw await refusal(response, signal);
  return response.blob().catch((cause) => {
    if (signal.aborted) throw cause;
    throw new ApiError(t("The download was interrupted. Try again."), { code: "unreachable" });
  });
}
