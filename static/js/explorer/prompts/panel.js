/** Panel of several prompts: measures and weights averaged over them, any of them opened. */

import { fill, say } from "../../base/dom.js";
import { labelled, sentences, t } from "../../base/i18n.js";
import { remembering } from "../../base/memoise.js";
import { differs, mount } from "../../base/mount.js";
import { isUploaded } from "../../api/analyses.js";
import { headCode, headName, metricTitle } from "../../wording/labels.js";
import { readSet, requestOfSet, setOf } from "../state/prompt_set.js";
import { partOf } from "../state/selection.js";
import { isInLink } from "../state/set_in_link.js";
import { headsTableView } from "../widgets/heads_table.js";
import { createPanel, createProblem } from "../widgets/panel.js";
import { scatterView } from "../widgets/scatter.js";
import { cellIn, cellMeaning, effectIn, headIn, measureOf, partIn, ruleOf, titleOfCell } from "./chosen.js";
import { CELL, createControls, meaningOf } from "./controls.js";
import { editorView } from "./editor.js";
import { promptHeadsView } from "./heads.js";
import { createKeptSets } from "./kept_sets.js";
import { layOut } from "./layout.js";
import { promptListView } from "./list.js";
import {
  averagesOf,
  definedIn,
  effectsOf,
  elsewhereWords,
  isEffect,
  outputWords,
  undefinedWords,
  withEffects,
} from "./measures.js";
import { createPattern } from "./pattern.js";
import { parseCell } from "./positions.js";
import { createPromptQuestions } from "./questions.js";
import { waitingView } from "./waiting.js";
import { noteOn, ratedWords, refusedPrompt, whereKept } from "./words.js";

/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {import("../state/prompt_set.js").PromptRequest} PromptRequest */
/** @typedef {import("../state/prompt_set.js").SetText} SetText */
/** @typedef {{text: string, target: string, chat: boolean, system: string}} OpenedText */

/** Heads are not marked: the prompts run through the unchanged model. */
const UNMARKED = new Map();

/**
 * @param {HTMLElement} element
 * @param {import("../widgets/panel.js").Bench & {openText: (input: OpenedText) => void}} bench
 * @returns {import("../widgets/panel.js").Panel}
 */
export function promptsPanel(element, { state, schedule, config, remember, openText }) {
  const boxes = layOut();
  const questions = createPromptQuestions(schedule);
  const problem = createProblem(questions);
  boxes.problem.append(problem.box);
  const kept = createKeptSets();
  const [readOnce, requestOnce] = [remembering(readSet), remembering(requestOfSet)];
  /** @type {(set: SetText) => SetText} */
  const sameSet = steady();
  /** @type {(ability: import("../state/prompt_set.js").Ability) => import("../state/prompt_set.js").Ability} */
  const sameAbility = steady();
  const [mergedOnce, averagesOnce] = [remembering(withEffects), remembering(averagesOf)];
  /** @type {PromptRequest | null} */
  let request = null;
  const controls = createControls(state);
  fill(boxes.controls, controls.element);
  const pattern = createPattern(boxes.pattern, {
    onPick: ({ query, key }, origin) => state.set({ promptCell: `${query}.${key}`, promptMeasure: CELL }, origin),
    schedule,
  });
  const views = {
    editor: mount(boxes.editor, editorView, { onRun: run, kept }),
    waiting: mount(boxes.waiting, waitingView, {
      onStop: () => request && questions.stop(request),
      onGoOn: () => questions.goOn(),
    }),
    heads: mount(boxes.heads, promptHeadsView, { onPick: (head, origin) => state.set(head, origin) }),
    scatter: mount(boxes.scatter, scatterView, {
      onPick: (head) => state.set(head, "pick"),
      onAxes: (axes) => state.set(axes, "pick"),
    }),
    table: mount(boxes.table, headsTableView, {
      onPick: (head) => state.set(head, "pick"),
      onToggle: null,
      onOrder: (promptOrder) => state.set({ promptOrder }, "pick"),
      onFind: (find) => state.set({ find }, "type"),
      onClear: () => state.set({ find: "" }, "pick"),
    }),
    list: mount(boxes.list, promptListView, {
      onOpen: ({ text, target_text: target }) =>
        openText({
          ...{ text, target: target ?? "", chat: request?.chat ?? false },
          system: request?.system_text ?? "",
        }),
    }),
  };

  /** @param {SetText} set */
  function run(set) {
    const keptSet = isInLink(set) ? "" : (kept.keep(set) ?? "");
    state.set({ ...set, keptSet, promptCell: "" }, "pick");
  }

  /**
   * The set of the address: its texts, or those that the browser keeps under its name.
   * @param {Scene["value"]} value
   */
  function setIn(value) {
    const written = setOf(value);
    const isEmpty = written.prompts === "" && written.template === "";
    const found = isEmpty && value.keptSet !== "" ? kept.find(value.keptSet) : null;
    if (found) state.set(found, "settle"); // what is said of the page, as in a pin, says it of the set
    return { set: sameSet(found ?? written), isLost: isEmpty && value.keptSet !== "" && !found };
  }

  /** @param {Scene} scene */
  function draw(scene) {
    const { value, analysis } = scene;
    const { model, parts } = analysis;
    const { set: text, isLost } = setIn(value);
    const isPossible = model.reads === "text" && !isUploaded(analysis.id);
    const set = readOnce(text, config.limits.max_prompts);
    const ability = sameAbility({
      ...{ id: model.id, hasDecoder: model.kind === "encoder_decoder", hasChat: model.has_chat_template ?? false },
      predicts: analysis.predictions.some(({ kind }) => kind === "next_token"),
    });
    request = isPossible ? requestOnce(set, ability) : null;
    const isKept = value.keptSet !== "";
    views.editor({
      ...{ set: text, most: config.limits.max_prompts, isOpen: set.count === 0 },
      link: whereKept(text, { isEmpty: set.count === 0, isKept, isLost }),
      refused: refusedPrompt(request && questions.failure()),
      ...{ hasDecoder: ability.hasDecoder, hasChat: ability.hasChat },
    });
    say(boxes.note, isPossible ? noteOn(value, parts, ability) : t("Prompts need a model that reads text."));
    if (!request) {
      boxes.results.hidden = true;
      questions.clear();
      views.waiting(null);
      problem.show();
      return;
    }
    drawSet(scene, request, ability, set.count);
  }

  /**
   * @param {Scene} scene
   * @param {PromptRequest} wanted
   * @param {import("../state/prompt_set.js").Ability} ability
   * @param {number} count  prompts
   */
  function drawSet(scene, wanted, ability, count) {
    const { value, analysis, part: shown } = scene;
    const offered = effectsOf(analysis, shown);
    const effect = effectIn(value, offered);
    const found = questions.take(
      wanted,
      (prompts) => ({
        part: partIn(prompts.parts, shown.name),
        align: ruleOf(value.align, prompts.aligns),
        cell: value.promptMeasure === CELL ? parseCell(value.promptCell) : null,
        effect,
      }),
      (measures) => headIn(value, measures),
    );
    const failure = problem.show();
    const { prompts, measures } = found;
    const isStopped = questions.isStopped(wanted);
    const isWaiting = !measures && failure?.kind !== "failed";
    views.waiting(isWaiting ? { progress: prompts && questions.progress(), isStopped, count } : null);
    boxes.results.setAttribute("aria-busy", String(isWaiting && !isStopped));
    boxes.averages.hidden = !measures;
    boxes.results.hidden = !prompts;
    if (!measures || !prompts) {
      views.list(prompts && { prompts, title: "", values: null, head: "", answers: null });
      say(boxes.rated, "");
      return;
    }
    const isFailed = failure?.kind === "failed";
    const isComing = effect !== undefined && !found.effects && !isFailed;
    const output = outputWords(wanted.answers !== undefined, ability.predicts);
    const merged = mergedOnce(measures, found.effects);
    drawAverages(scene, found, prompts, merged, { isFailed, isComing, effects: offered, output });
  }

  /**
   * @param {Scene} scene
   * @param {import("./questions.js").Found} found
   * @param {import("../../api/prompts.js").Prompts} prompts
   * @param {import("../../api/prompts.js").PromptMeasures} measures
   * @param {{isFailed: boolean, isComing: boolean, effects: [import("../../api/prompts.js").Effect, string][], output: string}} how
   */
  function drawAverages(scene, found, prompts, measures, { isFailed, isComing, effects, output }) {
    const { value, analysis, palette } = scene;
    const { numbering, spread: isSpread } = value;
    const align = ruleOf(value.align, prompts.aligns);
    const part = partIn(prompts.parts, scene.part.name);
    const { weights, cell: cellFound } = found;
    const cell = cellIn(value.promptCell, weights);
    const at = headIn(value, measures);
    const name = headName(at.layer, at.head, numbering);
    const cellTitle = weights && cell ? titleOfCell(weights, cell, numbering) : "";
    const measure = measureOf(value.promptMeasure, measures, { hasCell: cell !== null, isComing });
    const parts = { chosen: part, all: analysis.parts.map((one) => one.name), given: prompts.parts };
    controls.show({ measures, measure, cellTitle, align, aligns: prompts.aligns, isSpread, effects, output, parts });
    say(boxes.meaning, meaningOf(prompts, align));
    boxes.title.textContent = labelled(name, isSpread ? t("spread over the prompts") : t("mean over the prompts"));
    const { thumbnails } = remember(partOf(analysis, part));
    pattern.show(scene, weights, { id: prompts.id, cell, isSpread, name, thumbnails });
    // What cannot be averaged, such as a prompt with too many weights, is no map of another set.
    const isMissing = weights === null && isFailed;
    boxes.pattern.hidden = isMissing;
    if (isMissing) pattern.clear();
    boxes.pattern.setAttribute("aria-busy", String(weights === null && !isMissing));
    const info = measures.metric_info[measure];
    const title = measure === CELL ? cellTitle : metricTitle(measure, info);
    const summary = measure === CELL ? cellFound : measures.measures[measure];
    const total = prompts.prompts.length;
    const above = measure === CELL ? (cellFound?.above ?? null) : null;
    if (summary) views.heads({ title, summary, above, isSpread, ...at, numbering, palette });
    boxes.heads.setAttribute("aria-busy", String(!summary));
    const said = [
      measure === CELL ? cellMeaning() : info && t(info.definition),
      isEffect(measure) && `${output}.`,
      summary && definedIn(summary.count, total),
    ];
    say(boxes.definition, sentences(said));
    const values = measure === CELL ? found.cellValues : (found.values?.values[measure] ?? null);
    const { answers } = found;
    views.list({ prompts, title, values, head: headCode(at.layer, at.head, numbering), answers });
    say(boxes.rated, answers ? ratedWords(answers) : "");
    drawMeasures(value, measures, total, at, elsewhereWords(analysis, scene.part));
  }

  /**
   * Every measure of every head: any two as a scatter, all as a table.
   * @param {Scene["value"]} value
   * @param {import("../../api/prompts.js").PromptMeasures} measures
   * @param {number} total  prompts
   * @param {{layer: number, head: number}} at
   * @param {string} elsewhere  where further measures are
   */
  function drawMeasures(value, measures, total, at, elsewhere) {
    const { part, deviations, info } = averagesOnce(measures, total);
    const { numbering, across, up, promptOrder: order, find } = value;
    views.scatter({ metrics: part.metrics, info, across, up, kept: null, ...at, numbering });
    const listed = { order, find, limits: "", chosen: "", changed: UNMARKED };
    views.table({ part, deviations, info, ...at, numbering, ...listed });
    say(boxes.missing, sentences([undefinedWords(measures), elsewhere]));
  }

  return createPanel(element, {
    stands: [boxes.editor, boxes.note, boxes.problem, boxes.waiting, boxes.results],
    views,
    asks: [questions, problem, pattern],
    draw,
  });
}

/**
 * The object before, as long as the next one says the same.
 * @template {object} T
 * @returns {(next: T) => T}
 */
function steady() {
  /** @type {T | null} */
  let before = null;
  return (next) => {
    if (before === null || differs(before, next)) before = next;
    return before;
  };
}
