/** Offer to truncate a text that is too long. Nothing is cut unasked, and Back undoes it. */

import { ApiError } from "../../requests/api_request.js";
import { postTruncation } from "../../api/truncation.js";
import { t } from "../../base/i18n.js";
import { isSame, requestOf } from "../state/draft.js";

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

/**
 * @param {import("../state/draft.js").DraftStore} draftStore
 * @param {Pick<ReturnType<typeof import("../data/analyses.js").createAnalyst>, "session" | "run">} analyst
 */
export async function truncateText(draftStore, { session, run }) {
  const asked = requestOf(draftStore.get());
  try {
    const { text, text_pair: pair, target_text: target } = await postTruncation(asked);
    if (!isSame(asked, requestOf(draftStore.get()))) return; // typed on meanwhile
    const nowhere = { query: null, key: null, rows: "", cols: "" };
    draftStore.put({ text, pair: pair ?? "", target: target ?? "", ...nowhere }, "pick");
    await run();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    session.progress.set({ phase: "failed", error });
  }
}
