/** Truncate a text that is too long. Nothing is cut unasked, and Back undoes it. */

import { ApiError } from "../../requests/api_request.js";
import { postTruncation } from "../../api/truncation.js";
import { isSame, requestOf } from "../state/draft.js";

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
