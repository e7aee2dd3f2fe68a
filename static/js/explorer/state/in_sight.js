/**
 * What follows from choosing a token: the window of a matrix keeps its size, stays where it is if it contains the token,
 * and is otherwise centred on it; and the output that is explained is that of another query, unless it is chosen too.
 */

import { centre } from "../../charts/heat_map/geometry.js";
import { formatRange, parseRange } from "./selection.js";

/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("./view_state.js").ViewState} ViewState */
/** @typedef {Pick<Part, "query_tokens" | "key_tokens" | "causal" | "query_side" | "key_side">} Seen */

/**
 * The window around a token, of the same size as before.
 * @param {Range} range
 * @param {number} token
 * @param {number} count
 * @returns {Range}  the same one where the token is in it
 */
export function around(range, token, count) {
  if (token >= range[0] && token < range[1]) return range;
  return centre(token + 0.5, range[1] - range[0], count);
}

/**
 * The change of the window that a choice requires.
 * @param {Pick<ViewState, "rows" | "cols">} shown
 * @param {Partial<ViewState>} choice
 * @param {Seen} part
 * @returns {Partial<Pick<ViewState, "rows" | "cols">>}
 */
export function following({ rows, cols }, choice, part) {
  if ("rows" in choice || "cols" in choice) return {}; // chosen explicitly
  const [query, key] = choice.cell ? choice.cell.split(".").map(Number) : [choice.query ?? null, choice.key ?? null];
  const [down, across] = [parseRange(rows, part.query_tokens), parseRange(cols, part.key_tokens)];
  const nextDown = query === null ? down : around(down, query, part.query_tokens);
  let nextAcross = key === null ? across : around(across, key, part.key_tokens);
  const isOneText = part.query_side === part.key_side;
  // Under a causal mask a row is empty where every key comes later: show its own position.
  if (query !== null && key === null && part.causal && isOneText && across[0] > query) {
    nextAcross = around(across, query, part.key_tokens);
  }
  return {
    ...(nextDown !== down && { rows: formatRange(nextDown, part.query_tokens) }),
    ...(nextAcross !== across && { cols: formatRange(nextAcross, part.key_tokens) }),
  };
}

/**
 * The output is that of the query until another is chosen; another query is another output.
 * @param {Pick<ViewState, "query">} shown
 * @param {Partial<ViewState>} choice
 * @returns {Partial<Pick<ViewState, "output">>}
 */
export function ownOutput({ query }, choice) {
  const isOther = choice.query !== undefined && choice.query !== query;
  return isOther && !("output" in choice) ? { output: null } : {};
}

/**
 * A store in which what follows from a choice is part of it.
 * @template {import("../../base/store.js").Store<ViewState>} S
 * @param {S} store
 * @param {() => Seen | null} partNow
 * @returns {S}
 */
export function inSight(store, partNow) {
  return {
    ...store,
    set(patch, origin) {
      const part = partNow();
      const before = store.get();
      store.set(part ? { ...patch, ...following(before, patch, part), ...ownOutput(before, patch) } : patch, origin);
    },
  };
}
