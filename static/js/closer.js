/** The closer looks at one head: its matrix, one query's row, its distribution. Kept for a while, never out of order. */

import { getDistribution, getWindow } from "./api.js";
import { MAX_CELLS } from "./geometry.js";
import { createLatest, createMemory } from "./latest.js";
import { createTileStore } from "./tile_store.js";

/** @typedef {import("./types.js").Analysis} Analysis */
/** @typedef {import("./types.js").Distribution} Distribution */
/** @typedef {import("./types.js").Matrix} Matrix */
/** @typedef {import("./types.js").Part} Part */
/** @typedef {import("./types.js").Range} Range */
/** @typedef {import("./types.js").WindowRequest} WindowRequest */

/**
 * @typedef {object} Look  what is looked at
 * @property {string} id  of the analysis
 * @property {Part} part
 * @property {number} layer
 * @property {number} head
 * @property {import("./types.js").Stage} stage
 * @property {Range} rows
 * @property {Range} cols
 * @property {number | null} query
 */

const KEPT = 48;

/**
 * @param {import("./session.js").Session} session
 * @param {() => void} onChange  something arrived, or could not
 */
export function createCloser(session, onChange) {
  /** @type {ReturnType<typeof createMemory<Matrix>>} */
  const windows = createMemory(KEPT);
  /** @type {ReturnType<typeof createMemory<Distribution>>} */
  const distributions = createMemory(KEPT);
  /** @type {unknown} */
  let problem = null;

  /**
   * @template R
   * @param {{get: (key: string) => R | undefined, set: (key: string, value: R) => void}} memory
   * @param {(id: string, request: WindowRequest, signal: AbortSignal) => Promise<R>} read
   */
  function keeper(memory, read) {
    let wanted = "";
    const latest = createLatest(
      (/** @type {WindowRequest} */ request, signal) => session.ask((id) => read(id, request, signal)),
      (result, _request) => {
        memory.set(wanted, result);
        onChange();
      },
      (error) => {
        wanted = "";
        problem = error;
        onChange();
      },
    );
    return (/** @type {string} */ id, /** @type {WindowRequest} */ request) => {
      const key = JSON.stringify([id, request]);
      const kept = memory.get(key);
      if (kept !== undefined) {
        wanted = "";
        latest.cancel();
      } else if (wanted !== key) {
        wanted = key;
        problem = null;
        void latest.ask(request);
      }
      return kept ?? null;
    };
  }

  const tiles = createTileStore((request, signal) => session.ask((id) => getWindow(id, request, signal)), onChange);
  const askRow = keeper(windows, getWindow);
  const askDistribution = keeper(distributions, getDistribution);

  return {
    /** The error of the latest question that failed. */
    problem: () => problem ?? tiles.problem(),
    /**
     * The matrix in view, or null while it is fetched.
     * @param {Look} look
     */
    matrix: (look) => tiles.window(tileLook(look)),
    /**
     * What of the matrix in view is at hand.
     * @param {Look} look
     */
    tiles: (look) => tiles.look(tileLook(look)).tiles,
    /**
     * The chosen query's row of the stage that is shown.
     * @param {Look} look
     * @returns {Float32Array | null}
     */
    row(look) {
      if (look.query === null) return null;
      const { part, layer, head, stage, query } = look;
      const whole = tileLook(look);
      const isShort = part.query_tokens <= MAX_CELLS && part.key_tokens <= MAX_CELLS;
      const kept = isShort ? tiles.whole(whole) : undefined;
      if (kept) return kept.values.subarray(query * kept.width, (query + 1) * kept.width);
      if (isShort) return null;
      const request = { part: part.name, layer, head, stage };
      return askRow(look.id, { ...request, rows: [query, query + 1] })?.values ?? null;
    },
    /** @param {Pick<Look, "id" | "part" | "layer" | "head" | "stage">} look */
    distribution: ({ id, part, layer, head, stage }) => askDistribution(id, { part: part.name, layer, head, stage }),
  };
}

/**
 * @param {Look} look
 * @returns {import("./tile_store.js").TileLook}
 */
function tileLook({ id, part, layer, head, stage, rows, cols }) {
  const size = { queries: part.query_tokens, keys: part.key_tokens };
  return { id, of: { part: part.name, layer, head, stage }, rows, cols, size };
}

/**
 * One request for a whole window, for those who need it in one piece.
 * @param {Look} look
 * @returns {WindowRequest}
 */
export function matrixRequest({ part, layer, head, stage, rows, cols }) {
  const base = { part: part.name, layer, head, stage };
  const isShort = part.query_tokens <= MAX_CELLS && part.key_tokens <= MAX_CELLS;
  return isShort ? base : { ...base, rows, cols, maxSize: MAX_CELLS };
}
