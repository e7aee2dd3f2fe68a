/** What a measure of heads means, in words. */

import { el } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/**
 * What a metric means, where it comes from, and in what it is counted.
 * @param {import("../../api/types.js").MetricInfo | undefined} info
 * @returns {HTMLElement[]}
 */
export function metricNote(info) {
  if (!info) return [];
  const origin = t("Unit: {unit}. Source: {source}", { unit: t(info.unit), source: t(info.source) });
  return [t(info.definition), origin, info.remark ?? ""].filter(Boolean).map((text) => el("p", {}, text));
}
