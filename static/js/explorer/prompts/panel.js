/** Panel of several prompts: measures and weights averaged over them, any of them opened. */

import { el, fill, say } from "../../base/dom.js";
import { labelled, t } from "../../base/i18n.js";
import { remembering } from "../../base/memoise.js";
import { mount } from "../../base/mount.js";
import { ApiError } from "../../requests/api_request.js";
import { isUploaded } from "../../api/analyses.js";
import { headCode, headName, metricTitle } from "../../wording/labels.js";
import { readSet, requestOfSet } from "../state/prompt_set.js";
import { isInLink } from "../state/set_in_link.js";
import { createPanel, createProblem } from "../widgets/panel.js";
import { CELL, createControls, meaningOf } from "./controls.js";
import { editorView } from "./editor.js";
import { promptHeadsView } from "./heads.js";
import { promptListView } from "./list.js";
import { createPattern } from "./pattern.js";
import { parseCell, positionName } from "./positions.js";
import { createPromptQuestions } from "./questions.js";
import { waitingView } from "./waiting.js";

/** @typedef {import("../../api/prompts.js").AlignmentRule} AlignmentRule */
/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {import("../state/prompt_set.js").PromptRequest} PromptRequest */

/**
 * @param {HTMLElement} element
 * @param {import("../widgets/panel.js").Bench & {openText: (text: string) => void}} bench
 * @returns {import("../widgets/panel.js").Panel}
 */
export function promptsPanel(element, { state, schedule, config, remember, openText }) {
  const boxes = layOut();
  const questions = createPromptQuestions(schedule);
  const problem = createProblem(questions);
  boxes.problem.append(problem.box);
  const setOf = remembering(readSet);
  const textOf = remembering(
    (
      /** @type {string} */ prompts,
      /** @type {string} */ template,
      /** @type {string} */ slots,
      /** @type {"all" | "row"} */ pairing,
      /** @type {boolean} */ distinct,
    ) => ({ prompts, template, slots, pairing, distinct }),
  );
  const requestOf = remembering(requestOfSet);
  /** @type {PromptRequest | null} */
  let request = null;
  const controls = createControls(state);
  fill(boxes.controls, controls.element);
  const pattern = createPattern(boxes.pattern, {
    onPick: ({ query, key }, origin) => state.set({ promptCell: `${query}.${key}`, promptMeasure: CELL }, origin),
    schedule,
  });
  const views = {
    editor: mount(boxes.editor, editorView, {
      onRun: (set) => state.set({ ...set, promptCell: "" }, "pick"),
    }),
    waiting: mount(boxes.waiting, waitingView, {
      onStop: () => request && questions.stop(request),
      onGoOn: () => questions.goOn(),
    }),
    heads: mount(boxes.heads, promptHeadsView, { onPick: (head, origin) => state.set(head, origin) }),
    list: mount(boxes.list, promptListView, { onOpen: openText }),
  };

  /** @param {Scene} scene */
  function draw(scene) {
    const { value, analysis, palette } = scene;
    const { model } = analysis;
    const text = textOf(value.prompts, value.template, value.slots, value.pairing, value.distinct);
    const isPossible = model.reads === "text" && !isUploaded(analysis.id);
    const set = setOf(text, config.limits.max_prompts);
    request = isPossible ? requestOf(set, model.id) : null;
    const link = set.count === 0 ? "" : isInLink(text) ? t("The set is part of the page's link.") : tooLongForLink();
    const refused = refusedPrompt(request && questions.failure());
    views.editor({ set: text, most: config.limits.max_prompts, isOpen: set.count === 0, link, refused });
    say(boxes.note, isPossible ? noteOn(value.changes) : t("Prompts need a model that reads text."));
    if (!request) {
      boxes.results.hidden = true;
      questions.clear();
      views.waiting(null);
      problem.show();
      return;
    }
    const found = questions.take(request, (prompts, measures) => ({
      ...{ at: headIn(value, measures), align: ruleOf(value.align, prompts.aligns) },
      cell: value.promptMeasure === CELL ? parseCell(value.promptCell) : null,
    }));
    const failure = problem.show();
    const { prompts, measures } = found;
    const isStopped = questions.isStopped(request);
    const isWaiting = !measures && failure?.kind !== "failed";
    views.waiting(isWaiting ? { progress: prompts && questions.progress(), isStopped, count: set.count } : null);
    boxes.results.setAttribute("aria-busy", String(isWaiting && !isStopped));
    boxes.averages.hidden = !measures;
    boxes.results.hidden = !prompts;
    if (!measures || !prompts) {
      views.list(prompts && { prompts, title: "", values: null, head: "" });
      return;
    }
    const align = ruleOf(value.align, prompts.aligns);
    const { weights, cell: cellFound } = found;
    const cell = cellIn(value.promptCell, weights);
    const at = headIn(value, measures);
    const name = headName(at.layer, at.head, value.numbering);
    const cellTitle = weights && cell ? titleOfCell(weights, cell, value.numbering) : "";
    const measure = measureOf(value.promptMeasure, measures, cell !== null);
    controls.show({ measures, measure, cellTitle, align, aligns: prompts.aligns, isSpread: value.spread });
    say(boxes.meaning, meaningOf(prompts, align));
    boxes.title.textContent = value.spread
      ? labelled(name, t("spread over the prompts"))
      : labelled(name, t("mean over the prompts"));
    const look = { id: prompts.id, cell, isSpread: value.spread, name, thumbnails: remember(scene.part).thumbnails };
    pattern.show(scene, weights, look);
    boxes.pattern.setAttribute("aria-busy", String(weights === null));
    const title = measure === CELL ? cellTitle : metricTitle(measure, measures.metric_info[measure]);
    const summary = measure === CELL ? cellFound : measures.measures[measure];
    if (summary) views.heads({ title, summary, isSpread: value.spread, ...at, numbering: value.numbering, palette });
    boxes.heads.setAttribute("aria-busy", String(!summary));
    const values = measure === CELL ? found.cellValues : (found.values?.values[measure] ?? null);
    views.list({ prompts, title, values, head: headCode(at.layer, at.head, value.numbering) });
  }

  return createPanel(element, {
    stands: [boxes.editor, boxes.note, boxes.problem, boxes.waiting, boxes.results],
    views,
    asks: [questions, problem, pattern],
    draw,
  });
}

function layOut() {
  const title = el("h3", { class: "output-title" });
  const boxes = {
    editor: el("div"),
    note: el("p", { class: "note prompts-note", role: "status" }),
    problem: el("div"),
    waiting: el("div"),
    controls: el("div", { class: "prompts-controls" }),
    title,
    pattern: el("div", { class: "prompts-pattern" }),
    meaning: el("p", { class: "note" }),
    heads: el("div", { class: "prompts-heads" }),
    list: el("div"),
  };
  const averages = el(
    "div",
    {},
    boxes.controls,
    el(
      "div",
      { class: "prompts-columns" },
      el("div", { class: "prompts-column" }, title, boxes.pattern, boxes.meaning),
      el("div", { class: "prompts-column" }, el("h3", { class: "output-title" }, t("Every head")), boxes.heads),
    ),
  );
  const listTitle = el("h3", { class: "output-title" }, t("The prompts of the set"));
  const results = el("div", { class: "prompts-results" }, averages, listTitle, boxes.list);
  return { ...boxes, averages, results };
}

/**
 * The chosen head, or the last one: another part of the model may have more than the part that is averaged.
 * @param {{layer: number, head: number}} chosen
 * @param {import("../../api/prompts.js").PromptMeasures} found
 */
function headIn({ layer, head }, { measures }) {
  const { mean } = Object.values(measures)[0];
  return { layer: Math.min(layer, mean.length - 1), head: Math.min(head, mean[0].length - 1) };
}

/**
 * @param {string} wanted
 * @param {AlignmentRule[]} offered
 */
function ruleOf(wanted, offered) {
  return offered.find((rule) => rule === wanted) ?? offered[0];
}

/**
 * @param {string} wanted
 * @param {import("../../api/prompts.js").PromptMeasures} measures
 * @param {boolean} hasCell
 */
function measureOf(wanted, { measures }, hasCell) {
  if (wanted === CELL && hasCell) return CELL;
  return wanted in measures ? wanted : Object.keys(measures)[0];
}

/**
 * @param {string} text
 * @param {import("../../api/prompts.js").PromptWeights | null} weights
 */
function cellIn(text, weights) {
  const cell = parseCell(text);
  const size = weights?.positions.length ?? Infinity;
  return cell && cell.query < size && cell.key < size ? cell : null;
}

/**
 * @param {import("../../api/prompts.js").PromptWeights} weights
 * @param {{query: number, key: number}} cell
 * @param {0 | 1} numbering
 */
function titleOfCell(weights, { query, key }, numbering) {
  const name = (/** @type {number} */ index) => positionName(weights, index, numbering);
  return t("Weight {query} → {key}", { query: name(query), key: name(key) });
}

/**
 * The prompt that the server refuses, by its place in the set.
 * @param {import("../../requests/request_scheduler.js").Failure | null} failure
 */
function refusedPrompt(failure) {
  const field = failure?.error instanceof ApiError ? failure.error.field : null;
  const found = /^(?:prompts|fillings)\.(\d+)/u.exec(field ?? "");
  return found ? Number(found[1]) : null;
}

/** @param {string} changes */
function noteOn(changes) {
  return changes === "" ? "" : t("The prompts run through the unchanged model, without the changes made above.");
}

function tooLongForLink() {
  return t("The set is too long for a link: save it as a file to keep it or pass it on.");
}
