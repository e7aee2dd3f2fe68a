/**
 * A concept's page, started from one literal: its state in the URL, presets, charts, formula and calculation step by
 * step, exercises, lecture tools, and the API call that returns the same numbers.
 */

import { bindExercises } from "./exercises.js";
import { bindHistory } from "../../page/history.js";
import { bindLecture } from "./lecture.js";
import { presented } from "../../page/present.js";
import { bindPresets, createPresets } from "./presets.js";
import { bindTools } from "../../page/header_tools.js";
import { bindPredictions, bindStateLinks, bindTermCards, bindThread, keepPictureInView } from "./story.js";
import { bindWaiting } from "./waiting.js";
import { codec } from "../../base/fields.js";
import { createScene } from "./scene.js";
import { createStore } from "../../base/store.js";
import { need } from "../../base/dom.js";
import { offlineSettings, startingQuery } from "./save_page.js";
import { applyTheme, chosenTheme, onSystemTheme } from "../../base/theme/theme.js";
import { rememberPlace } from "../../page/course_place.js";
import { perFrame } from "../../base/once_per_frame.js";
import { bindPaper } from "../../base/theme/paper.js";
import { bindLecturePage } from "../../page/lecture_page.js";
import { returnToKept } from "../../page/frame_state.js";
import { setMessages, t } from "../../base/i18n.js";
import { takeEarlyChanges } from "../../base/early_changes.js";

/** @import { AnswerTo, AnswersTo, Body, Call, Stem } from "../../api/types.js" */
/** @import { CommonState, Fields, StateOf } from "../../base/fields.js" */
/** @import { Exercise } from "./exercises.js" */
/** @import { Recorded } from "../../requests/recorded_answers.js" */

/** @typedef {{name: string, says: string, line: Element}} Step  of a calculation, with its numbers */

/**
 * @typedef {object} StepTable  the results of the steps for every row
 * @property {string} caption
 * @property {{name: string, step: number, hasMaths?: boolean}[]} columns  `step`: the step that fills it; 0 for given
 *   values; `hasMaths`: in its texts, as in names
 * @property {string[][]} rows
 * @property {string[]} sums  the last line
 * @property {number} chosen  row
 */

/**
 * @typedef {object} Scene  formulas and calculation for one state
 * @property {Element[]} formulas
 * @property {Step[]} steps
 * @property {StepTable | null} table  null where there is none
 */

/**
 * @template S
 * @typedef {object} Tools  what every view is given
 * @property {(patch: Partial<S>, origin?: string) => void} set
 * @property {() => Readonly<S>} latest  the current state, which may be newer than the one drawn
 */

/**
 * @template {{state: object}} D  what is drawn
 * @typedef {(element: HTMLElement, data: D, tools: Tools<D["state"]>) => import("../../base/mount.js").View<D>} ConceptView
 */

/**
 * A state with its answers: what views are given, unless the page has a `data` of its own.
 * @template {Stem} P
 * @template S
 * @template {Call[]} [C=[]]  further calls
 * @typedef {{state: Readonly<S>, answer: AnswerTo<P>, others: AnswersTo<C>}} Answered
 */

/**
 * Changes of other fields that follow from a change of one.
 * @template S
 * @typedef {{[K in keyof S]?: (value: S[K], state: Readonly<S>) => Partial<S>}} Dependents
 */

/**
 * Of a field: options with their texts, or the largest number; null: not known yet, so what there is stays.
 * @template {{state: object}} D
 * @typedef {{[K in keyof D["state"]]?: (data: D) => [string, string][] | number | null}} Choices
 */

/**
 * The change that a click makes; null: disabled.
 * @template S
 * @typedef {{[selector: string]: (state: Readonly<S>) => Partial<S> | null}} Buttons
 */

/**
 * The types of a page.
 * @typedef {object} Types
 * @property {Stem} stem
 * @property {CommonState} state
 * @property {unknown} answer
 * @property {Call[]} also
 * @property {{state: object}} data  what views, texts and steps are given
 */

/**
 * @template {Types} T
 * @typedef {{state: Readonly<T["state"]>, answer: T["answer"], others: AnswersTo<T["also"]>}} Given
 */

/**
 * The parts of a page, in this order. Selectors name elements of the template; what is left out is not there.
 * `data` is `{state, answer, others}` unless `data` makes it.
 * @template {Types} T
 * @template {CommonState} [S=T["state"]]
 * @template [A=T["answer"]]
 * @template {{state: object}} [D=NoInfer<T["data"]>]
 * @typedef {object} Parts
 * @property {T["stem"]} stem
 * @property {Fields} fields
 * @property {string} [page]  the page's name in addresses, where that is not the stem of its call
 * @property {readonly (keyof S)[]} [presetFields]  that a preset sets; by default all
 * @property {(state: S, query: URLSearchParams) => S} [settle]  brings fields that depend on each other into agreement
 * @property {(state: Readonly<S>) => Body<T["stem"]>} request  body of `POST /api/<stem>`
 * @property {(state: Readonly<S>) => T["also"]} [also]  further calls; their answers are `others`
 * @property {(state: Readonly<S>) => Call[]} [calls]  in place of `request` and `also`, where the page computes by itself
 * @property {(state: Readonly<S>) => Call[]} [needs]  calls whose answers a saved file must hold for a state; by default the same
 * @property {import("./save_page.js").Computes} [computes]  answers that a saved file computes by itself
 * @property {boolean} [recordsPresets]  also where it computes them: in float64, which the server has in float32
 * @property {import("./save_page.js").Kept} [kept]
 * @property {(state: Readonly<S>, data: D) => Partial<S>[]} [grid]  settings that a saved file answers beside the presets, the most wanted first: those that fit into 500 kB
 * @property {(data: D) => Promise<{state: Partial<S>, records: Recorded[]}>} [held]  what a saved file holds beside answers, and the state that goes with it
 * @property {(onChange: () => void) => (state: Readonly<S>) => T["answer"]} [source]  of the answer, in place of calls
 * @property {(data: D) => unknown[]} [drawn]  answers of a source whose numbers are drawn: the calls shown are those by which they came
 * @property {(answer: NoInfer<A>) => boolean} [isWaiting]  whether a source has asked for more than it has
 * @property {(state: Readonly<S>, answer: NoInfer<A>) => Partial<S>} [within]  limits the state to the answer's range
 * @property {(data: Given<T>) => T["data"]} [data]
 * @property {() => Exercise<S>[]} [exercises]
 * @property {Dependents<S>} [dependents]
 * @property {Choices<D>} [choices]
 * @property {Buttons<S>} [buttons]
 * @property {{[selector: string]: ConceptView<{state: Readonly<S>}>}} [controls]  drawn at once, from the state alone
 * @property {{[selector: string]: ConceptView<D>}} views
 * @property {{[selector: string]: (data: D) => string}} [texts]
 * @property {{[selector: string]: (data: D) => boolean}} [shown]  elements that are hidden otherwise
 * @property {(data: D) => Record<string, string | number>} [explorer]  parameters of the link to the Explorer
 * @property {string} [pictures]  selector of the charts in image files
 * @property {(data: D) => import("./film.js").Shot<S>[]} [film]  states to be played one after the other in `#film`; where there are none, the steps are
 * @property {(data: D) => Scene} steps
 * @property {(data: D) => string[]} [pytorch]  lines of code that print the numbers shown
 * @property {(data: D, answer: AnswerTo<T["stem"]>) => number} [difference]  largest difference between the page's own numbers and the server's
 */

/**
 * @template {Types} T
 * @typedef {object} Opened  a concept that is shown
 * @property {Document} root
 * @property {Parts<T>} concept
 * @property {import("../../base/store.js").Store<T["state"]>} state
 * @property {(search: string) => T["state"]} read
 * @property {(state: Readonly<T["state"]>) => URLSearchParams} write
 * @property {ReturnType<typeof createPresets<T["state"]>>} presets
 * @property {boolean} isBare  embedded, or a file saved from an embedded page
 * @property {{live: string} | null} file  settings of a saved file; null where there is a server
 */

/**
 * @template {Types} T
 * @typedef {Opened<T> & {schedule: () => void}} Page  `schedule` asks for another rendering
 */

/**
 * Starts the page. All types follow from the stem, the fields, and what `also` and `data` return.
 * @template {Stem} P
 * @template {Fields} F
 * @template [A=AnswerTo<P>]
 * @template {Call[]} [C=[]]
 * @template {{state: object}} [D={state: Readonly<StateOf<F>>, answer: A, others: AnswersTo<C>}]
 * @param {{fields: F} & Parts<{stem: P, state: StateOf<F>, answer: A, also: C, data: D}>} concept
 */
export function concept(concept) {
  const root = document;
  returnToKept();
  const changeAgain = takeEarlyChanges(root);
  setMessages(JSON.parse(need(root, "#messages").textContent ?? "null"));
  const file = offlineSettings(root, concept.computes);
  const own = codec(concept.fields, concept.settle);
  const state = createStore({ ...own.read(startingQuery(file)), theme: chosenTheme() });
  const isBare = need(root, "#concept").hasAttribute("data-bare");
  const presets = createPresets(root, concept, own);
  /** @type {Opened<{stem: P, state: StateOf<F>, answer: A, also: C, data: D}>} */
  const opened = { root, concept, state, ...own, presets, isBare, file };
  start(opened);
  changeAgain();
}

/**
 * @template {Types} T
 * @param {Opened<T>} opened
 */
function start(opened) {
  const { root, state, presets, isBare, write } = opened;
  const frame = need(root, "#concept");
  const nextFrame = perFrame(() => {
    isScheduled = false;
    render();
  });
  let isScheduled = false;
  /** @type {Page<T>} */
  const page = { ...opened, schedule };
  const address = (/** @type {Readonly<T["state"]>} */ value) => `${location.pathname}?${presented(write(value))}`;
  const scene = createScene(page);
  const bound = [
    bindStateLinks(page),
    ...(isBare && !page.file ? [] : [bindPresets(page)]),
    ...(isBare ? [] : [bindTools(root, page, state, address)]),
  ];
  const lecture = bindLecture(page, scene);
  const waiting = bindWaiting(page);
  bindText(page);
  bindHistory(state, (value) => state.set(value, "return"), { read: () => page.read(location.search), address });
  state.subscribe((value, changed) => {
    if (changed.has("theme")) applyTheme(value.theme);
    schedule();
  });
  onSystemTheme(schedule);
  const presenting = bindLecturePage(root, { now, go: scene.go }, () => {
    if (!isBare) history.replaceState(null, "", address(state.get()));
    schedule();
  });
  root.addEventListener("keydown", scene.onKey);
  bindPaper(root);
  render();

  function schedule() {
    isScheduled = true;
    frame.setAttribute("aria-busy", "true"); // the charts are no longer those of the state
    nextFrame();
  }

  function render() {
    const value = state.get();
    for (const show of bound) show(value);
    const { isPending, problem, hasSteps } = scene.draw(value);
    // After a refusal the previous charts stay: they must not be exported as if they were of this state.
    const obstacle = problem === null ? "" : t("The view is still the previous one, so it cannot be saved or shared.");
    lecture(value, obstacle);
    waiting(isPending);
    const share = /** @type {HTMLButtonElement | null} */ (root.querySelector("#share"));
    if (share) share.disabled = obstacle !== "";
    if (hasSteps) presenting();
    if ((hasSteps && !isPending) || problem !== null) frame.removeAttribute("data-undrawn");
    frame.setAttribute("aria-busy", String(isScheduled || isPending || (!hasSteps && problem === null)));
  }

  /** @returns {import("../../page/deck.js").Standing} */
  function now() {
    return { figures: presets.list, figure: presets.shown(state.get()), ...scene.standing() };
  }
}

/**
 * What stands around the picture and does not change with its state.
 * @template {Types} T
 * @param {Page<T>} page
 */
function bindText(page) {
  const { root, isBare, concept } = page;
  bindPredictions(root);
  bindTermCards(root);
  bindThread(root);
  keepPictureInView(root);
  if (isBare) return;
  if (!concept.page) rememberPlace(concept.stem);
  bindExercises(page);
}
