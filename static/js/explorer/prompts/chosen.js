/** What of a set is shown: the values of the page's state, limited to what its answers have. */

import { labelled, sentences, t } from "../../base/i18n.js";
import { cellInfo } from "../state/measures/cell_measures.js";
import { CELL } from "./controls.js";
import { cellNames, parseCell } from "./positions.js";

/** @typedef {import("../../api/prompts.js").AlignmentRule} AlignmentRule */

/**
 * @param {string[]} averaged  parts that are averaged
 * @param {string} chosen
 */
export function partIn(averaged, chosen) {
  return averaged.includes(chosen) ? chosen : averaged[0];
}

/**
 * The chosen head, or the last one: another part of the model may have more than the part that is averaged.
 * @param {{layer: number, head: number}} chosen
 * @param {import("../../api/prompts.js").PromptMeasures} found
 */
export function headIn({ layer, head }, { measures }) {
  const { mean } = Object.values(measures)[0];
  return { layer: Math.min(layer, mean.length - 1), head: Math.min(head, mean[0].length - 1) };
}

/**
 * @param {string} wanted
 * @param {AlignmentRule[]} offered
 */
export function ruleOf(wanted, offered) {
  return offered.find((rule) => rule === wanted) ?? offered[0];
}

/**
 * @param {string} wanted
 * @param {import("../../api/prompts.js").PromptMeasures} measures
 * @param {{hasCell: boolean, isComing: boolean}} how  whether an effect that is wanted is on its way
 */
export function measureOf(wanted, { measures }, { hasCell, isComing }) {
  if (wanted === CELL && hasCell) return CELL;
  return wanted in measures || isComing ? wanted : Object.keys(measures)[0];
}

/**
 * The effect that is asked for: coloured, sorted or drawn by.
 * @param {Pick<import("../state/view_state.js").ViewState, "promptMeasure" | "promptOrder" | "across" | "up">} value
 * @param {[import("../../api/prompts.js").Effect, string][]} offered
 */
export function effectIn({ promptMeasure, promptOrder, across, up }, offered) {
  const wanted = [promptMeasure, promptOrder.replace(/^-/, ""), across, up];
  return offered.find(([name]) => wanted.includes(name))?.[0];
}

/**
 * The part, rule and cell that averages are asked for.
 * @param {Pick<import("../widgets/panel.js").Scene, "value" | "part">} scene
 * @param {import("../../api/prompts.js").Prompts} prompts
 */
export function askedOf({ value, part }, { parts, aligns }) {
  return {
    part: partIn(parts, part.name),
    align: ruleOf(value.align, aligns),
    cell: value.promptMeasure === CELL ? parseCell(value.promptCell) : null,
  };
}

/**
 * @param {string} text
 * @param {import("../../api/prompts.js").PromptWeights | null} weights
 */
export function cellIn(text, weights) {
  const cell = parseCell(text);
  const [queries, keys] = [weights?.positions.length ?? Infinity, weights?.key_positions.length ?? Infinity];
  return cell && cell.query < queries && cell.key < keys ? cell : null;
}

/**
 * @param {import("../../api/prompts.js").PromptWeights} weights
 * @param {{query: number, key: number}} cell
 * @param {0 | 1} numbering
 */
export function titleOfCell(weights, cell, numbering) {
  return t("Weight “{query}” → “{key}”", cellNames(weights, cell, numbering));
}

/** What a head's weight at the cell is, and the number beside it. */
export function cellMeaning() {
  const { cell_weight: weight, cell_above: above } = cellInfo();
  return sentences([weight.definition, labelled(above.title, above.definition)]);
}
