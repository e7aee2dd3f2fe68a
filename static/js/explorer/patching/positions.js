/** Effects by layer and position: a chart, and the strongest cells by name. */

import { el, fill, keepingFocus } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { rounded } from "../../base/numbers.js";
import { drawnView } from "../../base/mount.js";
import { matrixMark } from "../../charts/matrix.js";
import { apartLabel, numberedLabel, quoted } from "../../wording/token_apart.js";
import { digitsFor, signedList, strongest } from "../widgets/signed_shares.js";

/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} PositionsData
 * @property {string} title
 * @property {number[][]} values  layers × positions
 * @property {Token[]} tokens
 * @property {number} layer
 * @property {number | null} query
 * @property {0 | 1} numbering
 * @property {object} palette
 */

const LISTED = 6;

/**
 * @param {HTMLElement} element
 * @param {PositionsData} data
 * @param {{onPick: (at: {layer: number, query: number}, origin: "pick" | "move") => void}} options
 * @returns {import("../../base/mount.js").View<PositionsData>}
 */
export function positionsView(element, data, { onPick }) {
  const picture = el("div", { class: "shares-picture" });
  const list = el("div", { class: "shares-list" });
  fill(element, el("div", { class: "shares-map" }, picture), list);
  const mark = matrixMark(picture, drawing(data), {
    onPick: ({ row, column }) => onPick({ layer: row, query: column }, "move"),
    isFitted: true,
  });
  let shown = data;

  return drawnView(
    element,
    data,
    (next) => {
      if (next !== shown) mark.update(drawing(next));
      shown = next;
      keepingFocus(list, () => fill(list, ...strongestCells(next, onPick)));
    },
    mark.destroy,
  );
}

/**
 * @param {PositionsData} data
 * @returns {import("../../charts/matrix.js").MatrixMark}
 */
function drawing({ title, values, tokens, layer, query, numbering }) {
  const digits = 2;
  return {
    title,
    digits,
    scale: "signed",
    rows: values.map((_, index) => String(index + numbering)),
    columns: values[0].map((_, index) => nameOf(tokens, index, numbering)),
    values: values.map((row) => row.map((value) => rounded(value, digits))),
    axes: `${t("layer ↓")} ${t("position →")}`,
    chosen: query === null ? null : { row: layer, column: query },
  };
}

/** @param {Token[]} tokens @param {number} index @param {0 | 1} numbering */
function nameOf(tokens, index, numbering) {
  return tokens[index] ? apartLabel(tokens, tokens[index], numbering) : String(index + numbering);
}

/**
 * @param {PositionsData} data
 * @param {(at: {layer: number, query: number}, origin: "pick" | "move") => void} onPick
 */
function strongestCells({ values, tokens, layer, query, numbering }, onPick) {
  const flat = values.flat();
  const items = strongest(flat, values[0].length, LISTED).map(({ row, column, value }) => ({
    name: [
      t("Layer {layer}, {token}", {
        layer: row + numbering,
        token: tokens[column] ? quoted(numberedLabel(tokens[column], numbering)) : column + numbering,
      }),
    ],
    value,
    isChosen: row === layer && column === query,
    onPick: () => onPick({ layer: row, query: column }, "pick"),
  }));
  return [
    el("h3", { class: "output-title" }, t("Strongest positions")),
    items.length === 0 && el("p", { class: "note" }, t("No position has an effect.")),
    signedList(items, digitsFor(flat)),
  ];
}
