/** Load the data of one head: windows of its matrix, one query's row, its distribution. Recent answers are kept. */

import { getDistribution, getWindow } from "../../api/analyses.js";
import { createAnalysisResource } from "../../requests/cached_resource.js";
import { MAX_CELLS } from "../../charts/heat_map/geometry.js";
import { createTileStore } from "./tile_store.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../api/types.js").Distribution} Distribution */
/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../../api/types.js").WindowRequest} WindowRequest */
/** @typedef {ReturnType<typeof createHeadLoader>} HeadLoader */

/**
 * @typedef {object} Look  a window of one stage of one head
 * @property {string} id  of the analysis
 * @property {Part} part
 * @property {number} layer
 * @property {number} head
 * @property {import("../../api/types.js").Stage} stage
 * @property {Range} rows
 * @property {Range} cols
 * @property {number | null} query
 */

const KEPT = 48;

/**
 * @param {import("./session.js").Session} session
 * @param {() => void} onChange  an answer arrived, or failed
 */
export function createHeadLoader(session, onChange) {
  const tiles = createTileStore(
    (about, request, signal) => session.ask(about, (id) => getWindow(id, request, signal)),
    onChange,
  );
  const rows = createAnalysisResource(session, getWindow, { lane: "weights", onChange, kept: KEPT });
  const distributions = createAnalysisResource(session, getDistribution, {
    lane: "distribution",
    onChange,
    kept: KEPT,
  });

  return {
    /** The failure of the matrix in view, or of the row of the chosen query. */
    failure: () => tiles.failure() ?? rows.failure(),
    /**
     * The matrix in view, or null while it is fetched.
     * @param {Look} look
     */
    matrix: (look) => tiles.window(tileLook(look)),
    /**
     * The loaded tiles of the matrix in view, and the ranges that failed.
     * @param {Look} look
     */
    tiles: (look) => tiles.look(tileLook(look)),
    /**
     * The chosen query's row.
     * @param {Look} look
     * @returns {Float32Array | null}
     */
    row(look) {
      const whole = tiles.whole(tileLook(look));
      const isExact = whole !== null && whole !== undefined && whole.cellRows === 1 && whole.cellCols === 1;
      const request = whole && !isExact ? rowOf(look) : rowRequest(look);
      const [matrix] = rows.take(look.id, request ? [request] : []);
      if (request || look.query === null) return matrix?.values ?? null;
      return isExact ? whole.values.subarray(look.query * whole.width, (look.query + 1) * whole.width) : null;
    },
    /** @param {Pick<Look, "id" | "part" | "layer" | "head" | "stage">} look */
    distribution: ({ id, part, layer, head, stage }) =>
      distributions.take(id, [{ part: part.name, layer, head, stage }])[0],
    distributionFailure: distributions.failure,
    /** Aborts requests for the matrix. */
    clear() {
      tiles.clear();
      rows.clear();
    },
  };

  /**
   * The request for the chosen query's row alone; null where no query is chosen, or one tile holds the matrix.
   * @param {Look} look
   * @returns {WindowRequest | null}
   */
  function rowRequest(look) {
    const { part } = look;
    return part.query_tokens <= MAX_CELLS && part.key_tokens <= MAX_CELLS ? null : rowOf(look);
  }
}

/**
 * @param {Look} look
 * @returns {WindowRequest | null}  null where no query is chosen
 */
function rowOf({ part, layer, head, stage, query }) {
  return query === null ? null : { part: part.name, layer, head, stage, rows: [query, query + 1] };
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
 * A request for a whole window, for callers that need it in one piece.
 * @param {Look} look
 * @returns {WindowRequest}
 */
export function matrixRequest({ part, layer, head, stage, rows, cols }) {
  const base = { part: part.name, layer, head, stage };
  const isShort = part.query_tokens <= MAX_CELLS && part.key_tokens <= MAX_CELLS;
  return isShort ? base : { ...base, rows, cols, maxSize: MAX_CELLS };
}
