/** Rows of weights of several heads, fetched as they come into view: whole maps of short texts, blocks of long ones. */

import { getWindow } from "../../api/analyses.js";
import { condenseRow } from "../state/arrangement.js";
import { createAnalysisResource } from "../../requests/cached_resource.js";
import { MOST_HEADS } from "../state/head_list.js";

/** @typedef {import("../state/arrangement.js").Arrangement} Arrangement */
/** @typedef {import("../state/head_list.js").HeadAt} HeadAt */
/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../../base/decode.js").Range} Range */

/** Cells fetched at once; a map of no more comes whole. */
const BLOCK_CELLS = 2 ** 16;
const BLOCKS_IN_VIEW = 6;

/**
 * The rows of each block, so that one has about BLOCK_CELLS cells.
 * @param {Pick<Part, "query_tokens" | "key_tokens">} part
 * @returns {number}
 */
export function blockRows({ query_tokens: queries, key_tokens: keys }) {
  return Math.min(queries, Math.max(8, Math.floor(BLOCK_CELLS / keys)));
}

/**
 * The blocks that hold some rows.
 * @param {Range} rows
 * @param {number} size
 * @param {number} count
 * @returns {Range[]}
 */
export function blocksOf([first, end], size, count) {
  /** @type {Range[]} */
  const blocks = [];
  for (let start = Math.floor(first / size) * size; start < end; start += size) {
    blocks.push([start, Math.min(start + size, count)]);
  }
  return blocks;
}

/**
 * @param {import("./session.js").Session} session
 * @param {() => void} onChange
 */
export function createHeadRows(session, onChange) {
  const kept = 2 * MOST_HEADS * BLOCKS_IN_VIEW;
  const windows = createAnalysisResource(session, getWindow, { lane: "weights", onChange, kept });

  /**
   * @param {object} wanted
   * @param {string} wanted.id
   * @param {Part} wanted.part
   * @param {HeadAt[]} wanted.heads
   * @param {Range[]} wanted.rows  of tokens
   * @returns {(Matrix | null)[][]}  blocks of each head
   */
  function take({ id, part, heads, rows }) {
    const size = blockRows(part);
    const starts = new Map(
      rows.flatMap((range) => blocksOf(range, size, part.query_tokens)).map((block) => [block[0], block]),
    );
    const blocks = [...starts.values()];
    const questions = heads.flatMap(({ layer, head }) =>
      blocks.map((block) => ({ part: part.name, layer, head, stage: /** @type {const} */ ("weights"), rows: block })),
    );
    const matrices = windows.take(id, questions);
    return heads.map((_, index) => matrices.slice(index * blocks.length, (index + 1) * blocks.length));
  }

  return { take, clear: windows.clear, failure: windows.failure };
}

/**
 * Rows as they are shown, each made once.
 * @param {(Matrix | null)[]} blocks
 * @param {Arrangement} queries
 * @param {Arrangement} keys
 * @param {boolean} renormalise
 * @returns {(place: number) => Float32Array | null}
 */
export function rowsOf(blocks, queries, keys, renormalise) {
  const known = blocks.filter((block) => block !== null);
  /** @type {Map<number, Float32Array>} */
  const made = new Map();
  const row = (/** @type {number} */ token) => {
    const block = known.find(({ rows }) => token >= rows[0] && token < rows[1]);
    if (!block) return null;
    const start = (token - block.rows[0]) * block.width;
    return block.values.subarray(start, start + block.width);
  };
  return (place) => {
    const kept = made.get(place);
    if (kept || place >= queries.spans.length) return kept ?? null;
    const [first, end] = queries.spans[place];
    const rows = Array.from({ length: end - first }, (_, index) => row(first + index)).filter(
      (values) => values !== null,
    );
    if (rows.length < end - first) return null;
    const condensed = condenseRow(rows, keys, renormalise);
    made.set(place, condensed);
    return condensed;
  };
}

/**
 * The mean of the same rows of several heads.
 * @param {((place: number) => Float32Array | null)[]} heads
 * @returns {(place: number) => Float32Array | null}
 */
export function meanRows(heads) {
  return (place) => {
    const rows = heads.map((row) => row(place)).filter((row) => row !== null);
    if (rows.length < heads.length) return null;
    return rows[0].map((_, key) => rows.reduce((sum, row) => sum + row[key], 0) / rows.length);
  };
}
