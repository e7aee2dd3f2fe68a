/** Sends requests. Every failure is an `ApiError` or, when the caller gave up, an `AbortError`. */

import { isRecorded, recordedAnswer, takeSent, unpacked } from "./recorded_answers.js";
import { t } from "../base/i18n.js";
import { noteRequest } from "./sent_requests.js";
import { readRetryAfter } from "./retry_policy.js";
import { send } from "./relay.js";

const NO_CONTENT = 204;

/** An error from the server; `field` names the invalid input. */
export class ApiError extends Error {
  /**
   * @param {string} message
   * @param {{code: string, status?: number, field?: string | null, limit?: number | null, retryAfter?: number | null}} details
   */
  constructor(message, { code, status = 0, field = null, limit = null, retryAfter = null }) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.status = status;
    this.field = field;
    this.limit = limit;
    /** Seconds until a retry, if the server gives them. */
    this.retryAfter = retryAfter;
  }
}

/**
 * @template A
 * @param {string} path
 * @param {object} request
 * @param {AbortSignal} [signal]
 * @returns {Promise<A>}  as the caller knows the route's answer
 */
export function postJson(path, request, signal) {
  const headers = { "Content-Type": "application/json" };
  return fetchJson(path, { method: "POST", body: JSON.stringify(request), headers, signal });
}

/**
 * @template A
 * @param {string} path
 * @param {RequestInit} options
 * @returns {Promise<A>}  as the caller knows the route's answer
 */
export async function fetchJson(path, options) {
  const answer = await answerTo(path, options);
  const { method = "GET", body = null } = options;
  if (body === null || typeof body === "string") noteRequest(answer, { method, path, body });
  return answer;
}

/**
 * @template A
 * @param {string} path
 * @param {RequestInit} options
 * @returns {Promise<A>}
 */
async function answerTo(path, options) {
  if (isRecorded()) {
    await unpacked();
    return recordedAnswer(path, options.body, (message) => new ApiError(message, { code: "offline", status: 404 }));
  }
  const sent = takeSent(path, options.body);
  if (sent !== undefined) return /** @type {A} */ (sent);
  const response = await reach(path, options);
  if (!response.ok) throw await refusal(response, options.signal);
  if (response.status === NO_CONTENT) return /** @type {A} */ (null);
  try {
    return await response.json();
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    throw cause instanceof SyntaxError ? unexpected(response) : unreachable();
  }
}

/**
 * The answer to a request, whatever its status.
 * @param {string} path
 * @param {RequestInit} options
 * @returns {Promise<Response>}
 */
export async function reach(path, options) {
  try {
    const headers = { "Accept-Language": document.documentElement.lang, ...options.headers };
    return await send(path, { ...options, headers });
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    throw unreachable();
  }
}

/**
 * The error in an unsuccessful response.
 * @param {Response} response
 * @param {AbortSignal | null} [signal]
 * @returns {Promise<ApiError>}
 */
export async function refusal(response, signal) {
  const json = await response.json().catch((cause) => {
    if (signal?.aborted) throw cause;
    return null;
  });
  const retryAfter = readRetryAfter(response.headers.get("Retry-After"), Date.now());
  const { code, message, field = null, limit = null } = json?.error ?? {};
  if (!code || !message) return unexpected(response);
  return new ApiError(message, { code, status: response.status, field, limit, retryAfter });
}

/** @param {Response} response */
function unexpected({ status, headers }) {
  const retryAfter = readRetryAfter(headers.get("Retry-After"), Date.now());
  const message = t("The server answered with status {status}.", { status });
  return new ApiError(message, { code: "unexpected_answer", status, retryAfter });
}

function unreachable() {
  return new ApiError(t("The server cannot be reached."), { code: "unreachable" });
}

/** @param {number} ms  after which it was given up */
export function noAnswer(ms) {
  const message = t("The server has not responded for {seconds} seconds.", { seconds: Math.round(ms / 1000) });
  return new ApiError(message, { code: "no_answer" });
}

/**
 * A page of ours as text.
 * @param {string} path
 * @returns {Promise<string>}
 */
export async function getPage(path) {
  const response = await reach(path, {});
  if (!response.ok) throw await refusal(response);
  return response.text().catch(() => {
    throw unreachable();
  });
}

const REACHED_WITHIN = 10_000;

/** Resolves if the server answers at all. */
export async function reachServer() {
  const { ok } = await send("/healthz", { cache: "no-store", signal: AbortSignal.timeout(REACHED_WITHIN) });
  if (!ok) throw unreachable();
}
