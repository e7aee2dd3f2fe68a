/** Keep what can be kept when the model changes: the same characters of the text, not the same index. */

import { partOf, sidesOf } from "./selection.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {import("./view_state.js").ViewState} ViewState */

/** @typedef {Pick<import("../../api/types.js").Model, "id" | "kind" | "layers" | "heads">} Shape  null where it is unknown */

const SHAPE = /** @type {const} */ (["kind", "layers", "heads"]);

/**
 * Changes are of one model's heads. In another one of the same kind and size, such as its fine-tuned sister, they are
 * asked for as well; anywhere else the same numbers would be other heads, or none.
 * @param {Shape[]} models  those that are known
 * @param {string} from  id of the model that they were made in
 * @param {string} to
 * @returns {boolean}
 */
export function isSameShape(models, from, to) {
  const [one, other] = [from, to].map((id) => models.find((model) => model.id === id));
  if (from === to) return true;
  return Boolean(one?.layers && one.heads) && SHAPE.every((name) => one?.[name] === other?.[name]);
}

/**
 * The chosen tokens of one analysis in another one of the same texts; windows of the map begin anew.
 * @param {Analysis} before
 * @param {Analysis} after
 * @param {Pick<ViewState, "part" | "query" | "key">} chosen
 * @returns {Pick<ViewState, "query" | "key" | "rows" | "cols">}
 */
export function carriedOver(before, after, { part, query, key }) {
  const [was, is] = [before, after].map((analysis) => sidesOf(analysis, partOf(analysis, part)));
  return { query: sameWord(was.queries, is.queries, query), key: sameWord(was.keys, is.keys, key), rows: "", cols: "" };
}

/**
 * The index of the token that has most of the same characters; of a token without any, such as [CLS], the one at the
 * same end. Null if there is none.
 * @param {Token[]} before
 * @param {Token[]} after
 * @param {number | null} index
 * @returns {number | null}
 */
export function sameWord(before, after, index) {
  const token = index === null ? undefined : before[index];
  if (!token) return null;
  const { start, end, segment } = token;
  if (start === null || end === null) return sameEnd(before, after, token);
  let [best, most] = [/** @type {number | null} */ (null), 0];
  after.forEach((other, index) => {
    if (other.start === null || other.end === null || other.segment !== segment) return;
    const shared = Math.min(end, other.end) - Math.max(start, other.start);
    if (shared > most) [best, most] = [index, shared];
  });
  return best;
}

/**
 * @param {Token[]} before
 * @param {Token[]} after
 * @param {Token} token
 */
function sameEnd(before, after, token) {
  const index = token === before[0] ? 0 : token === before.at(-1) ? after.length - 1 : -1;
  return index >= 0 && after[index]?.start === null ? index : null;
}
