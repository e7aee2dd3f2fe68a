/** What is said of a text that is too long, and of a model that is not there. */

import { t } from "../../base/i18n.js";

/** @typedef {import("../../requests/api_request.js").ApiError} ApiError */

/**
 * What the way is called; "" where it is none.
 * @param {Pick<ApiError, "code" | "limit"> | null} problem
 * @param {Record<string, number>} limits  of the server
 */
export function truncationLabel(problem, { max_characters: characters }) {
  if (problem?.code !== "text_too_long") return "";
  const isOfTokens = problem.limit !== null && problem.limit !== characters;
  return isOfTokens ? t("Use the first {count} tokens", { count: problem.limit ?? 0 }) : t("Use as many tokens as fit");
}

/**
 * What went wrong, in the page's words.
 * @param {Pick<ApiError, "code" | "message"> | null} problem
 * @param {string} model  that was asked for
 */
export function saidOf(problem, model) {
  if (problem?.code !== "unknown_model") return problem?.message ?? "";
  return t("There is no model called “{model}” here. Choose one from the list.", { model });
}
