/** Asking for an analysis, of the model as it is or with changes inside. */

import { postAnalysis } from "./api.js";
import { interventions, readChanges } from "./changes.js";
import { createMemory } from "./latest.js";

/** @typedef {import("./types.js").Analysis} Analysis */
/** @typedef {import("./types.js").AnalysisRequest} AnalysisRequest */
/** @typedef {import("./types.js").Part} Part */

const KEPT = 16;

/**
 * A row of given weights has one for each key, so where the request changes a row, the model is first asked as it is.
 * @returns {(request: AnalysisRequest, signal?: AbortSignal) => Promise<Analysis>}
 */
export function createPosting() {
  /** @type {ReturnType<typeof createMemory<Pick<Part, "name" | "key_tokens" | "causal">[]>>} */
  const shapes = createMemory(KEPT);

  /** @type {(request: AnalysisRequest, signal?: AbortSignal) => Promise<Analysis>} */
  return async function post({ changes = "", ...request }, signal) {
    const wanted = readChanges(changes);
    const name = JSON.stringify(request);
    if (wanted.length === 0) {
      const analysis = await postAnalysis(request, signal);
      shapes.set(
        name,
        analysis.parts.map(({ name, key_tokens, causal }) => ({ name, key_tokens, causal })),
      );
      return analysis;
    }
    if (wanted.some(({ kind }) => kind === "row") && !shapes.get(name)) await post(request, signal);
    const parts = shapes.get(name) ?? [];
    const shapeOf = (/** @type {string} */ part) => {
      const { key_tokens: keys, causal } = parts.find((one) => one.name === part) ?? parts[0];
      return { keys, causal };
    };
    return postAnalysis({ ...request, interventions: interventions(wanted, shapeOf) }, signal);
  };
}
