/** A model before and after changes, at a head whose weights are the same in both: what to say, and what to open. */

import { sentences, t } from "../../base/i18n.js";
import { mostChanged } from "./difference_loader.js";

/** @typedef {import("../state/head_list.js").HeadAt} HeadAt */

/**
 * The head to open instead: a head that is switched off keeps its own weights, so that its maps before and after are
 * one map twice. What changes are heads of later layers.
 * @param {number[][]} largest  change of any weight, by layer and head
 * @param {HeadAt} chosen
 * @returns {HeadAt | null}  null where the chosen head changes, or none does
 */
export function headToOpen(largest, { layer, head }) {
  const [most] = largest[layer][head] > 0 ? [] : mostChanged(largest, 1);
  return most ? { layer: most.layer, head: most.head } : null;
}

/**
 * @param {number[][]} largest
 * @param {HeadAt} chosen
 * @param {boolean} isOff  whether it is switched off
 * @returns {string}  "" where its weights change
 */
export function unchangedNote(largest, { layer, head }, isOff) {
  if (largest[layer][head] > 0) return "";
  return sentences([
    t("No weight of this head changes."),
    isOff && t("Switching it off takes its output away, not its weights; what changes comes after it."),
  ]);
}
