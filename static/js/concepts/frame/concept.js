/**
 * The frame of every page that explains one concept: state in the URL, figures to begin with, the formula, the
 * calculation step by step, what a lecturer takes along, and the call that computes the same on the server.
 */

import { bindAnswers } from "./answers.js";
import { el, fill, need } from "../../base/dom.js";
import { bindExercises } from "./exercises.js";
import { bindFields } from "./field_controls.js";
import { bindHistory } from "../../page/history.js";
import { offlineSettings, startingQuery } from "./save_page.js";
import { setMessages, t } from "../../base/i18n.js";
import { bindLecture } from "./lecture.js";
import { stepsView } from "./steps.js";
import { isFramed, reportSize } from "../../page/framed.js";
import { bindPresenting, presented } from "../../page/present.js";
import { createStore } from "../../base/store.js";
import { applyTheme, chosenTheme, onSystemTheme } from "../../base/theme.js";
import { mount } from "../../base/mount.js";

/** @typedef {{lang: string, theme: "" | "paper" | "night", step: number}} CommonState */

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
 * @template {CommonState} S
 * @typedef {object} Concept
 * @property {string} stem  as in `/api/<stem>`, `/<stem>`, `/embed/<stem>`
 * @property {(search: string) => S} read
 * @property {(state: Readonly<S>) => URLSearchParams} write
 * @property {(state: Readonly<S>) => object} request  the call's body
 * @property {() => {name: string, notice: string, state: Partial<S>}[]} presets
 * @property {(desk: Desk<S>) => Instrument<S>} build
 * @property {import("./field_controls.js").Fields} [fields]  whose controls the frame binds; see `codec`
 * @property {boolean} [served]  whether the server computes: `show` is given the answer to `request`
 * @property {(state: Readonly<S>) => import("./latest_answer.js").Call[]} [also]  further calls, whose answers `show` is given
 * @property {() => import("./exercises.js").Exercise[]} [exercises]
 * @property {(state: Readonly<S>) => import("./latest_answer.js").Call[]} [needs]  what an offline file must hold for a state,
 *   where that is not what a served page asks for
 */

/**
 * @template {CommonState} S
 * @typedef {object} Desk  what the frame gives the concept
 * @property {Document} root
 * @property {import("../../base/store.js").Store<S>} state
 * @property {() => void} schedule  asks for another rendering
 */

/**
 * @template {CommonState} S
 * @typedef {object} Instrument  what the concept gives the frame
 * @property {(state: Readonly<S>, answer: any, others: any[]) => Scene | null} show  null: something is being fetched
 * @property {() => SVGSVGElement[]} pictures
 * @property {(answer: any) => number} [difference]  the largest between the page's own numbers and the server's
 */

const MESSAGE_MS = 4000;

/**
 * @template {CommonState} S
 * @param {Document} root
 * @param {() => Concept<S>} define  called once texts are in the reader's language
 */
export function startConcept(root, define) {
  setMessages(JSON.parse(need(root, "#messages").textContent ?? "null"));
  const file = offlineSettings(root);
  const concept = define();
  const frame = need(root, "#concept");
  const isBare = frame.hasAttribute("data-bare");
  const state = createStore(/** @type {S} */ ({ ...concept.read(startingQuery(file)), theme: chosenTheme() }));
  const address = (/** @type {Readonly<S>} */ value) => `${location.pathname}?${presented(concept.write(value))}`;
  const instrument = concept.build({ root, state, schedule });
  const steps = mount(need(root, "#steps"), stepsView, { onStep });
  const figures = createFigures(concept);
  const presets = isBare && !file ? null : bindPresets(root, figures, state);
  const tools = isBare ? null : bindTools(root, concept, state, address);
  const controls = concept.fields ? bindFields(root, state, concept.fields) : null;
  const served = concept.served ? bindAnswers(root, concept, schedule) : null;
  const lecture = bindLecture(root, concept, state, { instrument, figures: figures.list, live: file?.live });
  if (!isBare) bindExercises(root, concept, state);
  let isScheduled = false;
  /** @type {Scene | null} */
  let scene = null;

  if (isBare) reportSize(root);
  else
    bindHistory(state, (value) => state.set(value, "return"), { read: () => concept.read(location.search), address });
  state.subscribe((value, changed) => {
    if (changed.has("theme")) applyTheme(value.theme);
    schedule();
  });
  onSystemTheme(schedule);
  const presenting = bindPresenting(root, { now, go }, () => {
    if (!isBare) history.replaceState(null, "", address(state.get()));
    schedule();
  });
  root.addEventListener("keydown", onKey);
  render();

  function schedule() {
    if (isScheduled) return;
    isScheduled = true;
    frame.setAttribute("aria-busy", "true"); // what stands on the page is no longer of the state
    requestAnimationFrame(() => {
      isScheduled = false;
      render();
    });
  }

  function render() {
    const value = state.get();
    presets?.(value);
    tools?.(value);
    controls?.(value);
    const drawn = served?.(value) ?? { state: value, answers: [], isPending: false, problem: null, failure: null };
    if (drawn.state) scene = instrument.show(drawn.state, drawn.answers[0], drawn.answers.slice(1));
    // A refused picture stays as the one before: nothing of it leaves the page in the name of what was asked.
    const obstacle =
      drawn.problem === null ? "" : t("The picture is still the one before, so it cannot be saved or shared.");
    lecture(value, obstacle);
    const share = /** @type {HTMLButtonElement | null} */ (root.querySelector("#share"));
    if (share) share.disabled = obstacle !== "";
    if (scene) {
      fill(need(root, "#formula"), ...scene.formulas);
      steps({ ...scene, step: stepOf(value) });
      presenting();
    }
    const isOutOfDate = isScheduled || drawn.isPending || (scene === null && drawn.problem === null);
    frame.setAttribute("aria-busy", String(isOutOfDate));
  }

  /** @returns {import("../../page/present.js").Standing} */
  function now() {
    const value = state.get();
    const count = scene?.steps.length ?? 0;
    return { figures: figures.list, figure: figures.shown(value), steps: count, step: stepOf(value) };
  }

  /** Figures may have calculations of different lengths. @param {Readonly<S>} value */
  function stepOf(value) {
    return Math.min(value.step, Math.max(scene?.steps.length ?? 1, 1));
  }

  /** @param {import("../../page/present.js").Place} place */
  function go({ figure, step }) {
    const patch = figure === null ? {} : figures.list[figure].state;
    state.set(/** @type {Partial<S>} */ ({ ...patch, step }), "pick");
  }

  /** @param {number} step */
  function onStep(step) {
    if (!scene || step < 1 || step > scene.steps.length) return;
    state.set(/** @type {Partial<S>} */ ({ step }), "switch");
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const isTaken = event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
    const isElsewhere =
      event.target instanceof Element && event.target.closest("input, select, textarea, [role=slider]");
    if (by === undefined || isTaken || isElsewhere) return;
    event.preventDefault();
    onStep(stepOf(state.get()) + by);
  }
}

/**
 * The figures to begin with, and which of them a state is.
 * @template {CommonState} S
 * @param {Concept<S>} concept
 */
function createFigures(concept) {
  const list = concept.presets();
  return {
    list,
    /** @param {Readonly<S>} value */
    shown(value) {
      const now = JSON.stringify(concept.request(value));
      const own = String(concept.write(value));
      const same = list.filter((one) => JSON.stringify(concept.request({ ...value, ...one.state })) === now);
      const exact = same.find((one) => String(concept.write({ ...value, ...one.state })) === own);
      return list.indexOf(exact ?? same[0]);
    },
  };
}

/**
 * The figures as buttons, and what to notice in the one that is shown.
 * @template {CommonState} S
 * @param {Document} root
 * @param {ReturnType<typeof createFigures<S>>} figures
 * @param {import("../../base/store.js").Store<S>} state
 * @returns {(value: Readonly<S>) => void}
 */
function bindPresets(root, { list, shown }, state) {
  const buttons = list.map((preset) => {
    const choose = () => state.set(preset.state, "pick");
    return el("button", { type: "button", class: "start", onclick: choose }, preset.name);
  });
  const notice = need(root, "#notice");
  fill(need(root, "#presets"), ...buttons);
  return (value) => {
    const now = shown(value);
    buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(index === now)));
    const own = isFramed(root) ? t("Your own figure.") : t("Your own figure. The address bar holds it.");
    const text = now < 0 ? own : list[now].notice;
    if (notice.textContent !== text) notice.textContent = text;
  };
}

/**
 * Theme, language and link: the same for every page.
 * @template {CommonState} S
 * @param {Document} root
 * @param {Pick<Concept<S>, "write">} concept
 * @param {import("../../base/store.js").Store<S>} state
 * @param {(value: Readonly<S>) => string} address
 * @returns {(value: Readonly<S>) => void}
 */
export function bindTools(root, concept, state, address) {
  const theme = /** @type {HTMLSelectElement} */ (need(root, "#theme"));
  const links = [.../** @type {NodeListOf<HTMLAnchorElement>} */ (root.querySelectorAll("a[data-lang]"))];
  const status = need(root, "#share-status");
  theme.addEventListener("change", () => {
    state.set(/** @type {Partial<S>} */ ({ theme: theme.value }), "switch");
  });
  need(root, "#share").addEventListener("click", () => {
    const link = new URL(address(state.get()), location.href).href;
    void copy(link).then((isCopied) => {
      if (!isCopied) history.replaceState(null, "", link);
      status.textContent = isCopied
        ? t("Link copied.")
        : t("The browser does not allow copying; the address bar holds the link.");
      setTimeout(() => (status.textContent = ""), MESSAGE_MS);
    });
  });
  return (value) => {
    theme.value = value.theme;
    for (const link of links) link.search = String(concept.write({ ...value, lang: link.dataset.lang ?? "" }));
  };
}

/**
 * @param {string} text
 * @returns {Promise<boolean>} whether the browser allowed it
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
