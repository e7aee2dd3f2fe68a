/** Retry policy: which failures are transient, and how long to wait. Milliseconds. */

/** @typedef {{code?: string, status?: number, retryAfter?: number | null}} Refusal  an `ApiError`, as far as it matters */

/** Attempts after which automatic retries end: about a minute and a half. */
export const MOST_ATTEMPTS = 8;
const FIRST = 1_000;
const LONGEST = 30_000;
/** Random share added to the wait, so that the pages of a whole class do not retry at the same moment. */
const JITTER = 0.25;
/** A longer Retry-After ends automatic retries. */
const LONGEST_ASKED = 15 * 60_000;
const AWAY = new Set([429, 502, 503, 504]);

/**
 * Whether the server or the network fails, so that any other request would fail too.
 * @param {unknown} error
 */
export function isAway(error) {
  const { code, status = 0 } = refusal(error);
  return code === "unreachable" || code === "no_answer" || AWAY.has(status);
}

/**
 * Whether the same request may succeed later.
 * @param {unknown} error
 */
export function isTemporary(error) {
  const { status = 0 } = refusal(error);
  return isAway(error) || (status >= 500 && status !== 501);
}

/**
 * Whether to offer a retry: not if the request's contents were refused.
 * @param {unknown} error
 */
export function canRepeat(error) {
  const { code, status = 0 } = refusal(error);
  return code !== "offline" && code !== "not_possible" && code !== "not_measured" && ![400, 413, 422].includes(status);
}

/**
 * The wait after this many consecutive failures; null when automatic retries end.
 * @param {number} failures
 * @param {unknown} error  the latest
 * @param {number} chance  0 to 1
 * @returns {number | null}
 */
export function waitAfter(failures, error, chance) {
  const asked = 1000 * (refusal(error).retryAfter ?? 0);
  if (!isTemporary(error) || failures >= MOST_ATTEMPTS || asked > LONGEST_ASKED) return null;
  const grown = Math.min(FIRST * 2 ** (failures - 1), LONGEST);
  return Math.max(grown, asked) * (1 + JITTER * chance);
}

/**
 * Seconds to wait according to the header, which holds a number or a date.
 * @param {string | null} header  `Retry-After`
 * @param {number} now  as `Date.now` says
 * @returns {number | null}
 */
export function readRetryAfter(header, now) {
  const text = header?.trim() ?? "";
  if (text === "") return null;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000;
  return Number.isFinite(seconds) ? Math.max(1, seconds) : null;
}

/**
 * @param {unknown} error
 * @returns {Refusal}
 */
function refusal(error) {
  return typeof error === "object" && error !== null ? /** @type {Refusal} */ (error) : {};
}
