/** The matrix as a table of numbers, also for screen readers. */

import { el, fill } from "../../base/dom.js";
import { drawnView } from "../../base/mount.js";
import { t } from "../../base/i18n.js";
import { stageName } from "../../wording/labels.js";
import { exact } from "../../base/numbers.js";
import { spokenName } from "../../wording/token_name.js";

/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} TableData
 * @property {Matrix} matrix  at full resolution
 * @property {Token[]} queries
 * @property {Token[]} keys
 * @property {import("../../api/types.js").Stage} stage
 * @property {number | null} query
 * @property {0 | 1} numbering
 * @property {import("../../charts/heat_map/cell_text.js").IsMasked} [isMasked]
 */

/** More tokens than this a side, and only the chosen query's row is written out. */
const WHOLE_TABLE_LIMIT = 64;

/**
 * @param {HTMLElement} element
 * @param {TableData} data
 * @returns {import("../../base/mount.js").View<TableData>}
 */
export function matrixTableView(element, data) {
  /** @param {TableData} next */
  function draw({ matrix, queries, keys, stage, query, numbering, isMasked }) {
    const isWhole = matrix.height <= WHOLE_TABLE_LIMIT && matrix.width <= WHOLE_TABLE_LIMIT;
    const rows = Array.from({ length: matrix.height }, (_, row) => row + matrix.rows[0]);
    const shown = isWhole ? rows : rows.filter((row) => row === query);
    const name = (/** @type {Token} */ token) => spokenName(token, numbering);
    const first = matrix.cols[0];
    const cell = (/** @type {number} */ row, /** @type {number} */ col) =>
      isMasked?.([row, row + 1], [first + col, first + col + 1])
        ? el("td", { class: "is-masked" }, t("masked"))
        : el("td", {}, exact(matrix.values[(row - matrix.rows[0]) * matrix.width + col]));
    const columns = Array.from({ length: matrix.width }, (_, col) => keys[col + matrix.cols[0]]);
    fill(
      element,
      el(
        "table",
        { class: "numbers" },
        el(
          "caption",
          {},
          stage === "weights"
            ? t("{stage}: rows are queries, columns the keys they attend to", { stage: stageName(stage) })
            : t("{stage}: rows are queries, columns are keys", { stage: stageName(stage) }),
        ),
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", { scope: "col" }, t("query ↓ key →")),
            ...columns.map((token) => el("th", { scope: "col", class: "is-key" }, ...name(token))),
          ),
        ),
        el(
          "tbody",
          {},
          ...shown.map((row) =>
            el(
              "tr",
              { class: row === query ? "is-chosen" : null },
              el("th", { scope: "row", class: "is-query" }, ...name(queries[row])),
              ...columns.map((_, col) => cell(row, col)),
            ),
          ),
        ),
      ),
      !isWhole && el("p", { class: "note" }, t("The text is long, so only the chosen query's row is listed.")),
    );
  }

  return drawnView(element, data, draw);
}
