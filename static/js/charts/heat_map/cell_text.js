/** One cell in words: query, key and value of the stage. */

import { spanLabel, spanOf, valueAt } from "./cells.js";
import { el } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { stageName } from "../../wording/labels.js";
import { numberedLabel } from "../../wording/token_apart.js";
import { exact } from "../../base/numbers.js";

/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} Cells  what the cells are of
 * @property {Token[]} queries
 * @property {Token[]} keys
 * @property {import("../../api/types.js").Stage | "difference" | "attribution" | "rollout" | "mean" | "deviation"} stage
 * @property {0 | 1} numbering
 * @property {import("../../base/decode.js").Matrix | null} matrix
 * @property {IsMasked} [isMasked]
 * @property {(value: number) => [string, string]} [says]  a value in words, and of what, unless it is a number of the stage
 */

/**
 * Whether the mask forbids all of some cells, of stages where that is not −∞.
 * @callback IsMasked
 * @param {import("../../base/decode.js").Range} queries
 * @param {import("../../base/decode.js").Range} keys
 * @returns {boolean}
 */

/**
 * A cell by its tokens, each with its position: “it₈ → cat₂”.
 * @param {Token} query
 * @param {Token} key
 * @param {0 | 1} numbering
 * @returns {string}
 */
export function cellName(query, key, numbering) {
  return `${numberedLabel(query, numbering)} → ${numberedLabel(key, numbering)}`;
}

/**
 * @param {Cells} cells
 * @param {number} query
 * @param {number} key
 * @param {number | null} known  its value, where the matrix has only that of the pooled cell
 * @returns {HTMLElement[]}
 */
export function cellText({ queries, keys, stage, numbering, matrix, isMasked, says }, query, key, known = null) {
  const weight = known ?? (matrix && valueAt(matrix, query, key));
  const { cellRows, cellCols } = matrix && known === null ? matrix : { cellRows: 1, cellCols: 1 };
  const down = { first: matrix?.rows[0] ?? 0, size: cellRows };
  const across = { first: matrix?.cols[0] ?? 0, size: cellCols };
  const from = spanLabel(queries, query, { ...down, numbering });
  const to = spanLabel(keys, key, { ...across, numbering });
  const isForbidden = isMasked?.(spanOf(queries, query, down), spanOf(keys, key, across)) ?? false;
  const isPooled = cellRows > 1 || cellCols > 1;
  const [value, of] =
    says && weight !== null ? says(weight) : [weight === null ? "…" : exact(weight), stageName(stage)];
  return [
    el(
      "span",
      { class: "cell-pair" },
      el("bdi", { class: "is-query" }, from),
      " → ",
      el("bdi", { class: "is-key" }, to),
    ),
    el("strong", { class: "cell-value" }, isForbidden ? t("masked") : value),
    el("span", { class: "cell-stage" }, isPooled ? t("{stage}, largest in the cell", { stage: of }) : of),
  ];
}
