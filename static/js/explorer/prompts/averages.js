/** Averages over prompts: what is shown of them, and the boxes that show it. */

import { say } from "../../base/dom.js";
import { labelled, sentences, t } from "../../base/i18n.js";
import { remembering } from "../../base/memoise.js";
import { headCode, headName, metricTitle } from "../../wording/labels.js";
import { partOf } from "../state/selection.js";
import { cellIn, cellMeaning, headIn, measureOf, partIn, ruleOf, titleOfCell } from "./chosen.js";
import { CELL, meaningOf } from "./controls.js";
import { averagesOf, definedIn, elsewhereWords, isEffect, undefinedWords } from "./measures.js";
import { ratedWords } from "./words.js";

/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {import("../../api/prompts.js").Prompts} Prompts */
/** @typedef {import("../../api/prompts.js").PromptMeasures} PromptMeasures */

/** Heads are not marked: the prompts run through the unchanged model. */
const UNMARKED = new Map();

/**
 * @typedef {object} Averages
 * @property {Prompts} prompts
 * @property {PromptMeasures} measures  with the effect that is asked for
 * @property {import("./questions.js").Found} found
 * @property {[import("../../api/prompts.js").Effect, string][]} effects  that are offered
 * @property {boolean} isFailed
 * @property {boolean} isComing  whether an effect is on its way
 * @property {string} output  what effects are on
 */

/**
 * The chosen head, cell and measure, limited to what there is, with their titles and numbers.
 * @param {Pick<Scene, "value" | "part">} scene
 * @param {Averages} averages
 */
export function shownAverages({ value, part }, { prompts, measures, found, isComing, output }) {
  const { numbering, spread: isSpread } = value;
  const at = headIn(value, measures);
  const cell = cellIn(value.promptCell, found.weights);
  const cellTitle = found.weights && cell ? titleOfCell(found.weights, cell, numbering) : "";
  const measure = measureOf(value.promptMeasure, measures, { hasCell: cell !== null, isComing });
  const isCell = measure === CELL;
  const info = measures.metric_info[measure];
  const summary = isCell ? found.cell : measures.measures[measure];
  return {
    at,
    cell,
    cellTitle,
    measure,
    isSpread,
    summary,
    part: partIn(prompts.parts, part.name),
    align: ruleOf(value.align, prompts.aligns),
    name: headName(at.layer, at.head, numbering),
    code: headCode(at.layer, at.head, numbering),
    title: isCell ? cellTitle : metricTitle(measure, info),
    above: isCell ? (found.cell?.above ?? null) : null,
    values: isCell ? found.cellValues : (found.values?.values[measure] ?? null),
    definition: sentences([
      isCell ? cellMeaning() : info && t(info.definition),
      isEffect(measure) && `${output}.`,
      summary && definedIn(summary.count, prompts.prompts.length),
    ]),
  };
}

/**
 * @param {ReturnType<typeof import("./layout.js").layOut>} boxes
 * @param {object} parts
 * @param {ReturnType<typeof import("./controls.js").createControls>} parts.controls
 * @param {ReturnType<typeof import("./pattern.js").createPattern>} parts.pattern
 * @param {ReturnType<typeof import("./layout.js").mountViews>} parts.views
 * @param {import("../widgets/panel.js").Bench["remember"]} parts.remember
 * @returns {(scene: Scene, averages: Averages) => void}
 */
export function createAverages(boxes, { controls, pattern, views, remember }) {
  const averagesOnce = remembering(averagesOf);

  /** @param {Scene} scene @param {Averages} averages @param {ReturnType<typeof shownAverages>} shown */
  function drawPattern(scene, { prompts, found: { weights }, isFailed }, { part, cell, name, isSpread }) {
    const { thumbnails } = remember(partOf(scene.analysis, part));
    boxes.title.textContent = labelled(name, isSpread ? t("spread over the prompts") : t("mean over the prompts"));
    pattern.show(scene, weights, { id: prompts.id, cell, isSpread, name, thumbnails });
    // What cannot be averaged, such as a prompt with too many weights, is no map of another set.
    const isMissing = weights === null && isFailed;
    boxes.pattern.hidden = isMissing;
    if (isMissing) pattern.clear();
    boxes.pattern.setAttribute("aria-busy", String(weights === null && !isMissing));
  }

  /** Every measure of every head: any two as a scatter, all as a table. @type {typeof drawPattern} */
  function drawMeasures({ value, analysis, part: shownPart }, { measures, prompts }, { at }) {
    const { part, deviations, info } = averagesOnce(measures, prompts.prompts.length);
    const { numbering, across, up, promptOrder: order, find } = value;
    views.scatter({ metrics: part.metrics, info, across, up, kept: null, ...at, numbering });
    const listed = { order, find, limits: "", chosen: "", changed: UNMARKED };
    views.table({ part, deviations, info, ...at, numbering, ...listed });
    say(boxes.missing, sentences([undefinedWords(measures), elsewhereWords(analysis, shownPart)]));
  }

  return (scene, averages) => {
    const { value, analysis, palette } = scene;
    const { prompts, measures, effects, output } = averages;
    const { answers } = averages.found;
    const shown = shownAverages(scene, averages);
    const { at, measure, cellTitle, align, isSpread, title, summary, above } = shown;
    const parts = { chosen: shown.part, all: analysis.parts.map((part) => part.name), given: prompts.parts };
    controls.show({ measures, measure, cellTitle, align, aligns: prompts.aligns, isSpread, effects, output, parts });
    say(boxes.meaning, meaningOf(prompts, align));
    drawPattern(scene, averages, shown);
    if (summary) views.heads({ title, summary, above, isSpread, ...at, numbering: value.numbering, palette });
    boxes.heads.setAttribute("aria-busy", String(!summary));
    say(boxes.definition, shown.definition);
    views.list({ prompts, title, values: shown.values, head: shown.code, answers });
    say(boxes.rated, answers ? ratedWords(answers) : "");
    drawMeasures(scene, averages, shown);
  };
}
