/** Two texts in one: choosing which attends to which is choosing a window of rows and columns. */

import { t } from "../../base/i18n.js";
import { formatRange } from "./selection.js";

/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} SegmentChoice
 * @property {string} name
 * @property {string} rows  as in the URL, "" for all
 * @property {string} cols
 */

/**
 * Where each of two texts stands; null where there are not two, or one is not in one piece.
 * @param {Token[]} tokens
 * @returns {[Range, Range] | null}
 */
export function twoTexts(tokens) {
  const border = tokens.findIndex(({ segment }) => segment === 1);
  if (border <= 0) return null;
  const isInOrder = tokens.every(({ segment }, index) => segment === (index < border ? 0 : 1));
  return isInOrder
    ? [
        [0, border],
        [border, tokens.length],
      ]
    : null;
}

/**
 * All, and each text of the rows with each of the columns; nothing where there is only one text.
 * @param {Token[]} queries
 * @param {Token[]} keys
 * @returns {SegmentChoice[]}
 */
export function segmentChoices(queries, keys) {
  const [down, across] = [twoTexts(queries), twoTexts(keys)];
  if (!down && !across) return [];
  const names = [t("first"), t("second")];
  const rows = texts(down, queries.length, names);
  const cols = texts(across, keys.length, names);
  const pairs = rows.flatMap((row) =>
    cols.map((col) => ({ name: `${row.name} → ${col.name}`.trim(), rows: row.range, cols: col.range })),
  );
  return [{ name: t("all"), rows: "", cols: "" }, ...pairs];
}

/**
 * @param {[Range, Range] | null} two
 * @param {number} count
 * @param {string[]} names
 */
function texts(two, count, names) {
  return two
    ? two.map((range, index) => ({ name: names[index], range: formatRange(range, count) }))
    : [{ name: "", range: "" }];
}

/**
 * The choice that a window is, all of it if it is none.
 * @param {SegmentChoice[]} choices
 * @param {{rows: string, cols: string}} window
 * @returns {{rows: string, cols: string}}
 */
export function chosenSegment(choices, { rows, cols }) {
  return choices.find((one) => one.rows === rows && one.cols === cols) ?? { rows: "", cols: "" };
}
