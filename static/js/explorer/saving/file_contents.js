/** Describe the contents of an exported page: which heads, which stages, and at what resolution. */

import { sentences, t } from "../../base/i18n.js";
import { headName, shortStage } from "../../wording/labels.js";

/** @typedef {import("../state/view_state.js").ViewState} ViewState */
/** @typedef {import("../../api/types.js").Stage} Stage */
/** @typedef {import("../data/recorded_windows.js").WindowJson} WindowJson */

/**
 * @param {object} file
 * @param {WindowJson[]} file.windows
 * @param {boolean} file.isComplete  whether every head's weights are among them
 * @param {Pick<ViewState, "part" | "layer" | "head" | "stage" | "numbering">} file.saved  for which it was made
 * @returns {string}
 */
export function fileContents({ windows, isComplete, saved }) {
  const { part, layer, head, numbering } = saved;
  const own = windows.filter((window) => window.part === part && window.layer === layer && window.head === head);
  const stages = [...new Set(own.map(({ stage }) => stage))];
  const name = headName(layer, head, numbering);
  const list = (/** @type {string[]} */ those) =>
    those.map((stage) => shortStage(/** @type {Stage} */ (stage))).join(", ");
  if (isComplete) {
    const further = stages.filter((stage) => stage !== "weights");
    const everyHead = t("This file holds the weights of every head as numbers.");
    if (further.length === 0) return `${everyHead} ${t("It holds no other stage.")}`;
    return `${everyHead} ${t("The other stages ({stages}) it holds of {head} alone.", { stages: list(further), head: name })}`;
  }
  const pooled = own.find(({ stage, ...extent }) => stage === saved.stage && !isExact(extent));
  const exact = own.some((window) => window.stage === saved.stage && isExact(window));
  const what = { head: name, stages: list(stages) };
  const numbers = pooled
    ? t("This file holds {head} ({stages}) pooled: each cell is the maximum over several tokens.", what)
    : t("This file holds the numbers of {head} ({stages}).", what);
  const closer = pooled && exact ? t("The window in view when it was saved is exact.") : "";
  return sentences([numbers, closer, t("Every other head is here as a thumbnail of its weights.")]);
}

/** @param {Pick<WindowJson, "rows" | "cols" | "matrix">} window */
function isExact({ rows, cols, matrix }) {
  const [height, width] = String(matrix.shape).split(",").map(Number);
  return height === rows[1] - rows[0] && width === cols[1] - cols[0];
}
