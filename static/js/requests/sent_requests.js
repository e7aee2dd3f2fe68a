/** The request behind each answer, noted where it is sent: what a page shows as its call is the one it made. */

/**
 * @typedef {object} SentRequest
 * @property {string} method
 * @property {string} path
 * @property {string | null} body  JSON; null where nothing is sent
 */

/** @type {WeakMap<object, SentRequest>} */
const requests = new WeakMap();

/**
 * @param {unknown} answer
 * @param {SentRequest} request
 */
export function noteRequest(answer, request) {
  if (typeof answer === "object" && answer !== null) requests.set(answer, request);
}

/**
 * Something made of an answer, which has come by the same request.
 * @template {object} T
 * @param {T} made
 * @param {object} answer
 * @returns {T}
 */
export function withRequestOf(made, answer) {
  const request = requests.get(answer);
  if (request) requests.set(made, request);
  return made;
}

/**
 * The requests by which these have come, each once.
 * @param {readonly unknown[]} answers  null and undefined: not there
 * @returns {SentRequest[]}
 */
export function requestsOf(answers) {
  const known = new Map();
  for (const answer of answers) {
    const request = typeof answer === "object" && answer !== null ? requests.get(answer) : undefined;
    if (request) known.set(JSON.stringify(request), request);
  }
  return [...known.values()];
}
