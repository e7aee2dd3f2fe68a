/**
 * A page that explains one concept, started from one literal: its state in the URL, its presets, pictures, formula and
 * calculation step by step, its exercises, what a lecturer takes along, and the call that computes the same.
 */

import { bindExercises } from "./exercises.js";
import { bindHistory } from "../../page/history.js";
import { bindLecture } from "./lecture.js";
import { bindPresenting, presented } from "../../page/present.js";
import { bindPresets, createPresets } from "./presets.js";
import { bindTools } from "./tools.js";
import { codec } from "../../base/fields.js";
import { createScene } from "./scene.js";
import { createStore } from "../../base/store.js";
import { need } from "../../base/dom.js";
import { offlineSettings, startingQuery } from "./save_page.js";
import { applyTheme, chosenTheme, onSystemTheme } from "../../base/theme.js";
import { perFrame } from "../../base/once_per_frame.js";
import { reportSize } from "../../page/framed.js";
import { setMessages, t } from "../../base/i18n.js";

/** @typedef {import("../../base/fields.js").CommonState} CommonState */
/** @typedef {import("./latest_answer.js").Call} Call */

/** @typedef {{name: string, says: string, line: Element}} Step  of a calculation, with its numbers */

/**
 * @typedef {object} StepTable  what the steps make of every row
 * @property {string} caption
 * @property {{name: string, step: number}[]} columns  `step` makes this column; 0 for what is given
 * @property {string[][]} rows
 * @property {string[]} sums  the last line
 * @property {number} chosen  row
 */

/**
 * @typedef {object} Scene  what a concept has to say about its state
 * @property {Element[]} formulas
 * @property {Step[]} steps
 * @property {StepTable | null} table  null where the steps say it all
 */

/**
 * @template S
 * @typedef {{name: string, notice: string, state: Partial<S>}} Preset  `state`: what differs from where the page begins
 */

/**
 * @template S
 * @typedef {object} Tools  what every view is given
 * @property {(patch: Partial<S>, origin?: string) => void} set
 * @property {() => Readonly<S>} latest  the state now, which may be ahead of what is drawn
 */

/**
 * @template S
 * @typedef {(element: HTMLElement, data: any, tools: Tools<S>) => import("../../api/types.js").View<any>} ConceptView
 */

/**
 * The parts of a page, in this order. Selectors name elements of the template; what is left out is not there.
 * `data` is `{state, answer, others}` unless `data` makes it.
 * @template {CommonState} S
 * @typedef {object} Parts
 * @property {(state: S, query: URLSearchParams) => S} [settle]  brings fields that depend on each other into agreement
 * @property {(state: Readonly<S>) => object} request  body of `POST /api/<stem>`
 * @property {(state: Readonly<S>) => Call[]} [also]  further calls; their answers are `others`
 * @property {(state: Readonly<S>) => Call[]} [calls]  what is asked instead, where the page computes by itself
 * @property {(state: Readonly<S>) => Call[]} [needs]  what a saved file must hold for a state; the same calls unless given
 * @property {(onChange: () => void) => (state: Readonly<S>) => any} [source]  of the answer, in place of all calls
 * @property {(state: Readonly<S>, answer: any) => Partial<S>} [within]  what of the state lies within the answer
 * @property {(data: {state: Readonly<S>, answer: any, others: any[]}) => object} [data]
 * @property {() => Preset<S>[]} presets
 * @property {() => import("./exercises.js").Exercise[]} [exercises]
 * @property {{[field: string]: (value: any, state: Readonly<S>) => Partial<S>}} [dependents]  what changes along with it
 * @property {{[field: string]: (data: any) => [string, string][] | number}} [choices]  options, or the largest number
 * @property {{[selector: string]: (state: Readonly<S>) => Partial<S> | null}} [buttons]  what a press sets; null: disabled
 * @property {{[selector: string]: ConceptView<S>}} [controls]  drawn at once, from `{state}` alone
 * @property {{[selector: string]: ConceptView<S>}} views
 * @property {{[selector: string]: (data: any) => string}} [texts]
 * @property {{[selector: string]: (data: any) => boolean}} [shown]  elements that are hidden otherwise
 * @property {(data: any) => Record<string, string | number>} [explorer]  where the link to the Explorer leads
 * @property {string} [pictures]  selector of what picture files hold
 * @property {(data: any) => Scene} steps
 * @property {(data: any, answer: any) => number} [difference]  the largest between the page's own numbers and the server's
 */

/**
 * @template {CommonState} S
 * @typedef {Parts<S> & {stem: string, fields: import("./field_controls.js").Fields}} Concept
 */

/**
 * @template {CommonState} S
 * @typedef {object} Page  a concept that is shown
 * @property {Document} root
 * @property {Concept<S>} concept
 * @property {import("../../base/store.js").Store<S>} state
 * @property {(search: string) => S} read
 * @property {(state: Readonly<S>) => URLSearchParams} write
 * @property {ReturnType<typeof createPresets<S>>} presets
 * @property {boolean} isBare  a widget, or a file made of it
 * @property {{live: string} | null} file  that the page is; null where it has a server
 * @property {() => void} schedule  asks for another rendering
 */

/**
 * @template {Record<string, import("../../base/fields.js").Field<any>>} F
 * @param {{stem: string, fields: F} & Parts<import("../../base/fields.js").StateOf<F>>} concept
 */
export function concept(concept) {
  const root = document;
  setMessages(JSON.parse(need(root, "#messages").textContent ?? "null"));
  const file = offlineSettings(root);
  const own = codec(concept.fields, concept.settle);
  const state = createStore({ ...own.read(startingQuery(file)), theme: chosenTheme() });
  const isBare = need(root, "#concept").hasAttribute("data-bare");
  const presets = createPresets(concept, own.write);
  start({ root, concept, state, ...own, presets, isBare, file });
}

/**
 * @template {CommonState} S
 * @param {Omit<Page<S>, "schedule">} parts
 */
function start(parts) {
  const { root, state, presets, isBare, write } = parts;
  const frame = need(root, "#concept");
  const nextFrame = perFrame(() => {
    isScheduled = false;
    render();
  });
  let isScheduled = false;
  const page = { ...parts, schedule };
  const address = (/** @type {Readonly<S>} */ value) => `${location.pathname}?${presented(write(value))}`;
  const scene = createScene(page);
  const bound = [
    ...(isBare && !page.file ? [] : [bindPresets(page)]),
    ...(isBare ? [] : [bindTools(root, page, state, address)]),
  ];
  const lecture = bindLecture(page, scene);
  if (isBare) reportSize(root);
  else {
    bindExercises(page);
    bindHistory(state, (value) => state.set(value, "return"), { read: () => page.read(location.search), address });
  }
  state.subscribe((value, changed) => {
    if (changed.has("theme")) applyTheme(value.theme);
    schedule();
  });
  onSystemTheme(schedule);
  const presenting = bindPresenting(root, { now, go: scene.go }, () => {
    if (!isBare) history.replaceState(null, "", address(state.get()));
    schedule();
  });
  root.addEventListener("keydown", scene.onKey);
  render();

  function schedule() {
    isScheduled = true;
    frame.setAttribute("aria-busy", "true"); // what stands on the page is no longer of the state
    nextFrame();
  }

  function render() {
    const value = state.get();
    for (const show of bound) show(value);
    const { isPending, problem, hasSteps } = scene.draw(value);
    // A refused picture stays as the one before: nothing of it leaves the page in the name of what was asked.
    const obstacle = problem === null ? "" : t("The view is still the previous one, so it cannot be saved or shared.");
    lecture(value, obstacle);
    const share = /** @type {HTMLButtonElement | null} */ (root.querySelector("#share"));
    if (share) share.disabled = obstacle !== "";
    if (hasSteps) presenting();
    frame.setAttribute("aria-busy", String(isScheduled || isPending || (!hasSteps && problem === null)));
  }

  /** @returns {import("../../page/present.js").Standing} */
  function now() {
    return { figures: presets.list, figure: presets.shown(state.get()), ...scene.standing() };
  }
}
