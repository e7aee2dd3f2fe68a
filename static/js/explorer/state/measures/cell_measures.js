/** Measures of heads at the chosen cell: its weight in each head, and how far that is above what other queries give. */

import { getTokenReads } from "../../../api/analyses.js";
import { decodeFloats, decodeShape } from "../../../base/decode.js";
import { t } from "../../../base/i18n.js";
import { ApiError } from "../../../requests/api_request.js";
import { countedTokens } from "../../../wording/patches.js";
import { numberedLabel } from "../../../wording/token_apart.js";

/** @typedef {import("../../../api/types.js").Part} Part */
/** @typedef {import("./measure_groups.js").MeasureGroup} MeasureGroup */
/** @typedef {{layer: number, head: number, key: number}} KeyAt */

/** Tokens that the server lists at most; longer texts have no sums of what a key gets either. */
const MOST_TOKENS = 64;

/** @type {MeasureGroup} */
export const CELL_GROUP = {
  name: "cell",
  fits: (_analysis, part) => !!part.key_totals && part.key_tokens <= MOST_TOKENS,
  of: ({ analysis, part, value }) => JSON.stringify([analysis.id, part.name, value.query, value.key, value.numbering]),
  async read({ analysis, part, value: { query, key, numbering }, ask }, signal) {
    if (query === null || key === null)
      throw new ApiError(t("Choose a cell of the matrix first: a query and a key."), { code: "not_measured" });
    const wanted = { index: query, side: part.query_side, count: part.key_tokens, hide_special: false, words: false };
    const { parts } = await ask(analysis.id, (id) => getTokenReads(id, wanted, signal));
    const reads = parts.find(({ name }) => name === part.name)?.reads;
    const weights = reads ? weightsAt(reads, key) : null;
    const sideOf = (/** @type {string} */ side) =>
      (side === "target" && analysis.target_tokens) || countedTokens(analysis.tokens, numbering);
    const [queries, keys] = [sideOf(part.query_side), sideOf(part.key_side)];
    const cell = { query: numberedLabel(queries[query], numbering), key: numberedLabel(keys[key], numbering) };
    return {
      parts: weights ? [{ name: part.name, scores: scoresOf(part, { query, key }, weights) }] : [],
      info: cellInfo(),
      how: t("“{query}” → “{key}”", cell),
      isOfModel: false,
    };
  },
  words: () => ({
    title: t("At the chosen cell"),
    action: t("Find heads by the chosen cell"),
    cost: t("its weight in every head"),
    running: t("Reading the cell in every head …"),
  }),
  titles() {
    const { cell_weight: weight, cell_above: above } = cellInfo();
    return { cell_weight: weight.title, cell_above: above.title };
  },
};

/** What the measures at a cell say of a head. */
export const cellInfo = () => ({
  cell_weight: {
    title: t("Weight at the cell"),
    definition: t("The weight with which the chosen query attends to the chosen key."),
    source: "",
    unit: t("weight"),
  },
  cell_above: {
    title: t("Above other queries"),
    definition: t(
      "That weight minus the mean of what the other queries give the same key: near 0 where a head attends to the key whatever the query.",
    ),
    source: "",
    unit: t("weight"),
  },
});

/**
 * @param {{indices: number[][][], weights: number[][][]}} reads  by layer and head; what the mask forbids is not listed
 * @param {number} key
 * @returns {number[][]}
 */
export function weightsAt({ indices, weights }, key) {
  return indices.map((heads, layer) =>
    heads.map((listed, head) => {
      const place = listed.indexOf(key);
      return place < 0 ? 0 : weights[layer][head][place];
    }),
  );
}

/**
 * @param {Pick<Part, "key_totals" | "query_side" | "key_side">} part
 * @param {{query: number, key: number}} cell
 * @param {number[][]} weights  of that cell
 */
export function scoresOf(part, { query, key }, weights) {
  const isOwn = part.query_side === part.key_side && query === key;
  const above = weights.map((heads, layer) =>
    heads.map((weight, head) => weight - (othersMean(part, { layer, head, key }, isOwn ? null : weight) ?? 0)),
  );
  return { cell_weight: weights, cell_above: above };
}

/**
 * What the other queries that may attend to a key give it on average.
 * @param {Partial<Pick<Part, "key_totals">>} part
 * @param {KeyAt} at
 * @param {number | null} weight  of the query that is not counted; null where the sums have it not, as of a token's own
 * @returns {number | null}  null without any, and where the sums are not known
 */
export function othersMean({ key_totals: encoded }, { layer, head, key }, weight) {
  if (!encoded) return null;
  const [, heads, , keys] = decodeShape(encoded);
  const totals = decodeFloats(encoded);
  const first = 2 * (layer * heads + head) * keys + key;
  const [sum, count] =
    weight === null ? [totals[first], totals[first + keys]] : [totals[first] - weight, totals[first + keys] - 1];
  return count > 0 ? Math.max(0, sum / count) : null;
}
