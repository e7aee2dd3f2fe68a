/** One head's weights from both sides and their difference, as three matrices beside each other. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { matrixMark } from "../../charts/matrix.js";
import { small } from "../../base/numbers.js";

/** More tokens than this are not drawn: a cell could not be told from its neighbour. */
export const SHOWN = 24;

/**
 * @typedef {object} ParityData
 * @property {string[]} queries  labels
 * @property {string[]} keys
 * @property {number[][]} ours
 * @property {number[][]} theirs
 * @property {{query: number, key: number}} chosen
 */

/**
 * @param {HTMLElement} element
 * @param {ParityData} data
 * @param {{onPick: (at: {query: number, key: number}) => void}} options
 * @returns {import("../../api/types.js").View<ParityData>}
 */
export function parityView(element, data, { onPick }) {
  const titles = [t("ours"), t("the library's"), t("difference")];
  const boxes = titles.map((title) => {
    const frame = { class: "table-scroller", tabindex: 0, role: "region", "aria-label": title };
    return { title, box: el("div", frame), note: el("span", { class: "note" }) };
  });
  fill(
    element,
    ...boxes.map(({ title, box, note }) => el("div", { class: "parity-side" }, el("h3", {}, title, " ", note), box)),
  );
  const pick = {
    onPick: (/** @type {{row: number, column: number}} */ at) => onPick({ query: at.row, key: at.column }),
  };
  const marks = boxes.map(({ title, box }, index) => matrixMark(box, markOf(data, title, index), pick));

  /** @param {ParityData} next */
  function draw(next) {
    boxes.forEach(({ title }, index) => marks[index].update(markOf(next, title, index)));
    const largest = Math.max(...differences(next).flat().map(Math.abs));
    boxes[2].note.textContent = t("colour from −{most} to {most}", { most: small(largest) });
  }

  draw(data);
  return {
    update: draw,
    destroy() {
      for (const mark of marks) mark.destroy();
      element.replaceChildren();
    },
  };
}

/**
 * @param {ParityData} data
 * @param {string} title
 * @param {number} index
 * @returns {import("../../charts/matrix.js").MatrixMark}
 */
function markOf(data, title, index) {
  const isDifference = index === 2;
  const all = isDifference ? differences(data) : index === 0 ? data.ours : data.theirs;
  const values = all.slice(0, SHOWN).map((row) => row.slice(0, SHOWN));
  return {
    title,
    // The difference is written in units of 10⁻⁷, about one step of float32 at 1.
    values: isDifference ? values.map((row) => row.map((value) => (Math.abs(value) < 5e-9 ? 0 : value * 1e7))) : values,
    rows: data.queries.slice(0, SHOWN),
    columns: data.keys.slice(0, SHOWN),
    rowRole: "query",
    columnRole: "key",
    scale: isDifference ? "signed" : "weight",
    digits: isDifference ? 1 : 2,
    axes: isDifference ? t("in units of 10⁻⁷") : t("query ↓ reads from key →"),
    chosen: { row: data.chosen.query, column: data.chosen.key },
  };
}

/** @param {ParityData} data */
function differences({ ours, theirs }) {
  return ours.map((row, query) => row.map((value, key) => value - theirs[query][key]));
}
