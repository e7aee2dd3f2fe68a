/** Names of the views on their tabs and in exported files. */

import { t } from "../../base/i18n.js";

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
    heads: t("Heads"),
    compare: t("Compare"),
  }[view];
}
