/** Compare our attention with the library's own, on demand. */

import { ApiError } from "../../requests/api_request.js";

/** @typedef {import("../../api/types.js").AnalysisRequest} AnalysisRequest */
/** @typedef {import("../../api/types.js").Parity} Parity */
/** @typedef {{check: "none" | "running" | "done" | "failed", parity: Parity | null, problem: string}} LibraryComparison */

/** @type {LibraryComparison} */
const NONE = Object.freeze({ check: "none", parity: null, problem: "" });

/**
 * @param {(request: AnalysisRequest) => Promise<{parity: Parity | null}>} post
 * @param {() => void} onChange
 */
export function createLibraryComparison(post, onChange) {
  let now = NONE;

  return {
    now: () => now,
    /** Another analysis is asked for. */
    forget: () => void (now = NONE),
    /** @param {AnalysisRequest | null} request */
    async compare(request) {
      if (!request || now.check === "running") return;
      /** @type {LibraryComparison} */
      const mine = { ...NONE, check: "running" };
      now = mine;
      onChange();
      try {
        // What is changed here the library does not know: the comparison is of the model as it is.
        const { parity } = await post({ ...request, changes: "", parity: true });
        if (now === mine) now = { ...NONE, check: "done", parity };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (now === mine) now = { ...NONE, check: "failed", problem: error.message };
      }
      onChange();
    },
  };
}
