/** Answers of the API that a file carries with it, because no server stands behind it. */

import { t } from "../base/i18n.js";

/** @type {Record<string, any> | null} by what `nameOf` calls a request */
let answers = null;
/** @type {Set<string>} */
const asked = new Set();

/** @param {Record<string, any>} recorded */
export function carryAnswers(recorded) {
  answers = recorded;
}

/** @returns {boolean} whether there is no server to ask */
export function isCarrying() {
  return answers !== null;
}

/**
 * The answer that was recorded, as a copy. Throws what `failure` makes of a sentence where nobody recorded one.
 * @param {string} path
 * @param {unknown} body  undefined where nothing is sent
 * @param {(message: string) => Error} failure
 * @returns {any}
 */
export function carried(path, body, failure) {
  const answer = answers?.[nameOf(path, body)];
  if (answer !== undefined) return structuredClone(answer);
  throw failure(
    t(
      "This file works without a server: it holds its figures and what was shown when it was saved. For anything else, open the live page.",
    ),
  );
}

/**
 * @param {string} path
 * @param {unknown} body
 * @returns {string}
 */
export function nameOf(path, body) {
  return body === undefined ? path : `${path} ${body}`;
}

/**
 * Notes a path that the page asks for whatever its state.
 * @param {string} path
 */
export function noteAsked(path) {
  asked.add(path);
}

/** @returns {Iterable<string>} */
export function askedPaths() {
  return asked;
}
