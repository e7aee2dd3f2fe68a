/** Fetches the tiles of a matrix as they come into view, keeps the latest, and gives up those no longer wanted. */

import { createCachedResource } from "../../requests/cached_resource.js";
import { createMemory } from "../../base/recent_values.js";
import { remembering } from "../../base/memoise.js";
import { alike } from "./pooled_windows.js";
import { assemble, tilesOf } from "../../charts/heat_map/tiles.js";

/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../../api/types.js").WindowRequest} WindowRequest */
/** @typedef {import("../../charts/heat_map/tiles.js").Tile} Tile */
/** @typedef {{id: string, of: TileLook["of"], tile: Tile}} Wanted */

/**
 * @typedef {object} TileLook
 * @property {string} id  of the analysis
 * @property {{part: string, layer: number, head: number, stage: import("../../api/types.js").Stage}} of
 * @property {Range} rows  in view
 * @property {Range} cols
 * @property {import("../../charts/heat_map/tiles.js").Size} size  of the whole matrix
 */

/** 256 KiB each: at most 12 MiB, whatever the length of the text. */
const KEPT = 48;
const KEPT_WINDOWS = 8;
const SIDE = 256;

/**
 * @param {(id: string, request: WindowRequest, signal: AbortSignal) => Promise<Matrix>} read
 * @param {() => void} onChange  a tile arrived, or could not
 * @param {import("../../requests/request_scheduler.js").Scheduler} [scheduler]
 */
export function createTileStore(read, onChange, scheduler) {
  /** @type {import("../../requests/cached_resource.js").CachedResource<Wanted, Matrix>} */
  const tiles = createCachedResource(
    {
      lane: "weights",
      onChange,
      kept: KEPT,
      keyOf,
      read: ({ id, of, tile }, signal) => read(id, { ...of, ...tile, maxSize: SIDE }, signal),
    },
    scheduler,
  );
  /** @type {ReturnType<typeof createMemory<{matrix: Matrix, from: Matrix[]}>>} */
  const windows = createMemory(KEPT_WINDOWS);
  /** The same tiles stay the same objects. */
  const sameTiles = remembering(tilesFrom);

  /**
   * The tiles at hand of the window in view; asks for the others.
   * @param {TileLook} look
   * @returns {{tiles: Matrix[], missing: Tile[], isComplete: boolean}}  missing: those that could not be had
   */
  function look({ id, of, rows, cols, size }) {
    const wanted = tilesOf(rows, cols, size).map((tile) => ({ id, of, tile }));
    const matrices = tiles.take(wanted);
    const atHand = matrices.filter((tile) => tile !== null);
    const isComplete = atHand.length === wanted.length;
    const failed = isComplete ? [] : wanted.filter((question) => tiles.failureOf(question)?.kind === "failed");
    const missing = sameTiles(failed.flatMap(({ tile }) => [...tile.rows, ...tile.cols]));
    return { tiles: atHand, missing, isComplete };
  }

  return {
    failure: tiles.failure,
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
      const matrix = assemble(wanted.rows, wanted.cols, alike(from));
      windows.set(key, { matrix, from });
      return matrix;
    },
    /**
     * A whole matrix that fits into one tile, if it is at hand; asks for nothing.
     * @param {Pick<TileLook, "id" | "of" | "size">} look
     */
    whole({ id, of, size }) {
      return tiles.peek({ id, of, tile: { rows: [0, size.queries], cols: [0, size.keys] } });
    },
    clear: tiles.clear,
  };
}

/** @param {Wanted} wanted */
function keyOf({ id, of: { part, layer, head, stage }, tile: { rows, cols } }) {
  return [id, part, layer, head, stage, ...rows, ...cols].join(" ");
}

/**
 * @param {number[]} ends  four of each tile
 * @returns {Tile[]}
 */
function tilesFrom(ends) {
  return Array.from({ length: ends.length / 4 }, (_, index) => {
    const [top, bottom, left, right] = ends.slice(4 * index);
    return { rows: [top, bottom], cols: [left, right] };
  });
}
