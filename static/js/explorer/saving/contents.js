/** What of an analysis is in an exported page, in words: which heads, which stages, and how finely. */

import { t } from "../../base/i18n.js";
import { headName, shortStage } from "../../wording/labels.js";

/** @typedef {import("./windows.js").Saved} Saved */
/** @typedef {import("./windows.js").SavedWindow} SavedWindow */

/**
 * @param {Pick<Saved, "windows" | "isComplete" | "chosen">} saved
 * @returns {string}
 */
export function contentsOf({ windows, isComplete, chosen }) {
  const { part, layer, head, numbering } = chosen;
  const own = windows.filter((one) => one.part === part && one.layer === layer && one.head === head);
  const stages = [...new Set(own.map(({ stage }) => stage))];
  const name = headName(layer, head, numbering);
  const list = (/** @type {SavedWindow["stage"][]} */ those) => those.map(shortStage).join(", ");
  if (isComplete) {
    const further = stages.filter((stage) => stage !== "weights");
    const all = t("This file holds the weights of every head as numbers.");
    if (further.length === 0) return `${all} ${t("It holds no other stage.")}`;
    return `${all} ${t("The other stages ({stages}) it holds of {head} alone.", { stages: list(further), head: name })}`;
  }
  const pooled = own.find(({ stage, ...one }) => stage === chosen.stage && !isExact(one));
  const exact = own.some((one) => one.stage === chosen.stage && isExact(one));
  const what = { head: name, stages: list(stages) };
  const numbers = pooled
    ? t("This file holds {head} ({stages}) in cells of several tokens each, the largest number of each cell.", what)
    : t("This file holds the numbers of {head} ({stages}).", what);
  const closer = pooled && exact ? t("The window that was in view when it was saved is exact.") : "";
  return [numbers, closer, t("Of every other head it holds a small picture of the weights.")].filter(Boolean).join(" ");
}

/** @param {Pick<SavedWindow, "rows" | "cols" | "matrix">} window */
function isExact({ rows, cols, matrix }) {
  const [height, width] = String(matrix.shape).split(",").map(Number);
  return height === rows[1] - rows[0] && width === cols[1] - cols[0];
}
