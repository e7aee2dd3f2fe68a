/** Fetches the tiles of a matrix as they come into view, keeps the latest, and gives up those no longer wanted. */

import { createMemory } from "./latest.js";
import { assemble, tilesOf } from "./tiles.js";

/** @typedef {import("./types.js").Matrix} Matrix */
/** @typedef {import("./types.js").Range} Range */
/** @typedef {import("./types.js").WindowRequest} WindowRequest */
/** @typedef {import("./tiles.js").Tile} Tile */

/**
 * @typedef {object} TileLook
 * @property {string} id  of the analysis
 * @property {{part: string, layer: number, head: number, stage: import("./types.js").Stage}} of
 * @property {Range} rows  in view
 * @property {Range} cols
 * @property {import("./tiles.js").Size} size  of the whole matrix
 */

/** 256 KiB each: at most 12 MiB, whatever the length of the text. */
const KEPT = 48;
const KEPT_WINDOWS = 8;
/** Tiles asked for at once; a window touches four at most, and the server computes two at a time. */
const AT_ONCE = 4;
const SIDE = 256;

/**
 * @param {(request: WindowRequest, signal: AbortSignal) => Promise<Matrix>} read
 * @param {() => void} onChange  a tile arrived, or could not
 */
export function createTileStore(read, onChange) {
  /** @type {ReturnType<typeof createMemory<Matrix>>} */
  const tiles = createMemory(KEPT);
  /** @type {ReturnType<typeof createMemory<{matrix: Matrix, from: Matrix[]}>>} */
  const windows = createMemory(KEPT_WINDOWS);
  /** @type {Map<string, AbortController>} */
  const flights = new Map();
  /** @type {Set<string>} that could not be had; asked for again once something else was in view */
  let failed = new Set();
  /** @type {unknown} */
  let problem = null;

  /**
   * @param {string} key
   * @param {TileLook["of"]} of
   * @param {Tile} tile
   */
  async function fetchTile(key, of, tile) {
    const mine = new AbortController();
    flights.set(key, mine);
    try {
      const matrix = await read({ ...of, ...tile, maxSize: SIDE }, mine.signal);
      if (mine.signal.aborted) return;
      tiles.set(key, matrix);
      problem = null;
    } catch (error) {
      if (mine.signal.aborted) return;
      failed.add(key);
      problem = error;
    } finally {
      if (flights.get(key) === mine) flights.delete(key);
    }
    onChange();
  }

  /** @param {Set<string>} wanted */
  function giveUpOthers(wanted) {
    for (const [key, flight] of flights) {
      if (wanted.has(key)) continue;
      flight.abort();
      flights.delete(key);
    }
    if ([...failed].some((key) => !wanted.has(key))) {
      failed = new Set();
      problem = null;
    }
  }

  /**
   * The tiles at hand of the window in view; asks for the others.
   * @param {TileLook} look
   * @returns {{tiles: Matrix[], isComplete: boolean}}
   */
  function look({ id, of, rows, cols, size }) {
    const wanted = tilesOf(rows, cols, size).map((tile) => ({ tile, key: keyOf(id, of, tile) }));
    giveUpOthers(new Set(wanted.map(({ key }) => key)));
    const found = wanted.map(({ key }) => tiles.get(key));
    wanted.forEach(({ key, tile }, index) => {
      if (found[index] || flights.has(key) || failed.has(key) || flights.size >= AT_ONCE) return;
      void fetchTile(key, of, tile);
    });
    const atHand = /** @type {Matrix[]} */ (found.filter(Boolean));
    return { tiles: atHand, isComplete: atHand.length === wanted.length };
  }

  return {
    problem: () => problem,
    look,
    /**
     * The window as one matrix, the same object as long as nothing changes; null while tiles are missing.
     * @param {TileLook} wanted
     * @returns {Matrix | null}
     */
    window(wanted) {
      const { tiles: from, isComplete } = look(wanted);
      if (!isComplete) return null;
      const key = JSON.stringify([wanted.id, wanted.of, wanted.rows, wanted.cols]);
      const kept = windows.get(key);
      if (kept && kept.from.every((tile, index) => tile === from[index])) return kept.matrix;
      const matrix = assemble(wanted.rows, wanted.cols, from);
      windows.set(key, { matrix, from });
      return matrix;
    },
    /**
     * A whole matrix that fits into one tile, if it is at hand; asks for nothing.
     * @param {Pick<TileLook, "id" | "of" | "size">} look
     */
    whole({ id, of, size }) {
      return tiles.get(keyOf(id, of, { rows: [0, size.queries], cols: [0, size.keys] }));
    },
  };
}

/**
 * @param {string} id
 * @param {TileLook["of"]} of
 * @param {Tile} tile
 */
function keyOf(id, { part, layer, head, stage }, { rows, cols }) {
  return [id, part, layer, head, stage, ...rows, ...cols].join(" ");
}
