/** Names of the views on their tabs and in exported files. */

import { t } from "../../base/i18n.js";
import { numberedLabel } from "../../wording/token_apart.js";
import { shownName } from "./head_list.js";

/** Views of one head; the others are of all heads together. @type {readonly import("./view_state.js").ViewName[]} */
const OF_ONE_HEAD = ["matrix", "lines", "vectors"];

/**
 * @param {import("./view_state.js").ViewName} view
 * @returns {string}
 */
export function viewName(view) {
  return {
    matrix: t("Matrix"),
    vectors: t("Vectors"),
    token: t("Token"),
    rollout: t("Rollout"),
    lines: t("Lines"),
    output: t("Output"),
    flow: t("Flow"),
    patching: t("Patching"),
    heads: t("Heads"),
    compare: t("Compare"),
    prompts: t("Prompts"),
    reach: t("Reach"),
  }[view];
}

/**
 * @param {import("./view_state.js").ViewName} view
 * @returns {boolean}
 */
export function isOfOneHead(view) {
  return OF_ONE_HEAD.includes(view);
}

/**
 * Whether a view's picture is of the chosen head, which then stands in its title and in the names of its files: beside
 * the views of one head alone, those that set it beside another or average it over prompts.
 * @param {import("./view_state.js").ViewName} view
 * @returns {boolean}
 */
export function drawsOneHead(view) {
  return isOfOneHead(view) || view === "compare" || view === "prompts";
}

/**
 * What the main panel is about: a head, a token in all heads, or the model as a whole.
 * @param {import("./view_state.js").ViewState} value
 * @param {{layers: number, heads: number}} part
 * @param {import("../../api/types.js").Token[]} queries
 * @returns {string}
 */
export function viewTopic(value, part, queries) {
  const { view, query, numbering } = value;
  if (isOfOneHead(view)) return shownName(value, part);
  const token = view === "token" && query !== null ? queries[query] : undefined;
  if (!token) return t("Whole model · {view}", { view: viewName(view) });
  return t("All heads · “{token}”", { token: numberedLabel(token, numbering) });
}
