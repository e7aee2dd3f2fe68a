/** Derive what one token attends to in every head, and what attends to it, from recorded weights. */

import { mayAttend } from "../state/allowed_keys.js";
import { arrange } from "../state/arrangement.js";
import { sidesOf } from "../state/selection.js";
import { columnOf, largestOf, rowOf } from "./recorded_studies.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../../base/decode.js").Range} Range */

/** Tokens listed for each head, unless asked otherwise: as the API has it. */
const MOST_TOP = 5;

/**
 * What a token attends to and what attends to it; null where the file has not the weights of all heads.
 * @param {Analysis} analysis
 * @param {URLSearchParams} params
 * @param {(part: Part) => Float32Array[][] | null} allOf
 */
export function tokenReads(analysis, params, allOf) {
  const side = params.get("side") ?? analysis.parts[0].query_side;
  const index = Number(params.get("index"));
  const count = Number(params.get("count") ?? MOST_TOP);
  const isOn = (/** @type {string} */ name) => params.get(name) === "true";
  const spansOf = (/** @type {import("../../api/types.js").Token[]} */ tokens) =>
    arrange(tokens, isOn("hide_special"), isOn("words")).spans;
  const parts = [];
  for (const part of analysis.parts.filter(({ query_side, key_side }) => query_side === side || key_side === side)) {
    const layers = allOf(part);
    if (!layers) return null;
    const { queries, keys } = sidesOf(analysis, part);
    const spans = { queries: spansOf(queries), keys: spansOf(keys) };
    const isOwn = ([first, end] = /** @type {Range} */ ([0, 0])) => index >= first && index < end;
    const alone = /** @type {Range} */ ([index, index + 1]);
    const own = (part.query_side === side ? spans.queries : spans.keys).find(isOwn) ?? alone;
    const top = (
      /** @type {(weights: Float32Array, may: import("../state/allowed_keys.js").MayAttend | null) => ReturnType<typeof largestOf>} */ of,
    ) => {
      const largest = layers.map((heads, layer) =>
        heads.map((weights, head) => of(weights, mayAttend(part, [{ layer, head }]))),
      );
      const byHead = (/** @type {"indices" | "weights" | "total"} */ name) =>
        largest.map((heads) => heads.map((head) => head[name]));
      return { indices: byHead("indices"), weights: byHead("weights"), totals: byHead("total") };
    };
    const width = part.key_tokens;
    /** @type {Parameters<typeof top>[0]} */
    const reads = (weights, may) =>
      largestOf(rowOf(weights, width, own), spans.keys, count, "sum", (keys) => may?.(own, keys) ?? true);
    /** @type {Parameters<typeof top>[0]} */
    const readBy = (weights, may) =>
      largestOf(columnOf(weights, width, own), spans.queries, count, "mean", (queries) => may?.(queries, own) ?? true);
    parts.push({
      name: part.name,
      reads: part.query_side === side ? top(reads) : null,
      read_by: part.key_side === side ? top(readBy) : null,
    });
  }
  return { side, index, parts };
}
