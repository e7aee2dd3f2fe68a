/** Draw a page: controls at once from the state; charts, texts and steps as soon as there is an answer. */

import { sayMaths } from "../../base/maths/maths_text.js";
import { bindAnswers, ownCall } from "./answer_binding.js";
import { bindFields } from "./field_controls.js";
import { fill, need } from "../../base/dom.js";
import { linkToExplorer } from "../../page/model_choice.js";
import { LAST_STEP } from "../../base/fields.js";
import { markSteps } from "./story.js";
import { bindPytorch } from "./pytorch.js";
import { createFilm } from "./film.js";
import { mount } from "../../base/mount.js";
import { requestsOf } from "../../requests/sent_requests.js";
import { stepsView } from "./steps.js";

/** @typedef {import("./concept.js").Types} Types */

const PICTURES = "#picture :is(svg.mark, .plot)";

/**
 * @template {Types} T
 * @param {import("./concept.js").Page<T>} page
 */
export function createScene(page) {
  const { root, concept, state, presets } = page;
  const ask = concept.source ? fromPage(concept.source(page.schedule), concept.isWaiting) : bindAnswers(page);
  const fields = bindFields(page);
  bindControls(page);
  const show = bindViews(page);
  const film = createFilm(page);
  const code = bindPytorch(page);
  const steps = mount(need(root, "#steps"), stepsView, {});
  /** @type {import("./concept.js").Scene | null} */
  let scene = null;
  /** @type {T["data"] | null} */
  let data = null;
  /** What `data` is made of. @type {unknown[]} */
  let answers = [];

  /** The step shown; calculations differ in length. @param {Readonly<T["state"]>} value */
  function stepOf(value) {
    return Math.min(value.step, Math.max(scene?.steps.length ?? 1, 1));
  }

  /** Whether one goes through the steps; before, the whole picture stands there, and the first key shows the first. */
  let isWalked = false;
  const walked = () => (isWalked ? stepOf(state.get()) : 0);

  /** @param {number} step */
  function onStep(step) {
    isWalked = true;
    const count = scene?.steps.length ?? 0;
    if (step < 1 || step > count) return;
    state.set(/** @type {Partial<T["state"]>} */ ({ step: step === count ? LAST_STEP : step }), "switch");
  }

  return {
    /** @param {Readonly<T["state"]>} value */
    draw(value) {
      isWalked ||= value.step < LAST_STEP;
      const told = ask(value);
      if (told.state) {
        data = dataOf(concept, told.state, told.answers);
        answers = told.answers;
        show(data);
        scene = concept.steps(data);
        code(data);
      }
      fields(value, told.answers[0], data);
      if (scene) {
        fill(need(root, "#formula"), ...scene.formulas);
        steps({ ...scene, step: stepOf(value), onStep });
        markSteps(root, stepOf(value));
        if (data) film.draw(data, scene); // at the end, as it measures
      }
      return { isPending: told.isPending, problem: told.problem, hasSteps: scene !== null };
    },
    standing: () => ({ steps: scene?.steps.length ?? 0, step: walked() }),
    /** @param {import("../../page/deck.js").Place} place */
    go({ figure, step }) {
      const patch = figure === null ? {} : presets.list[figure].state;
      isWalked = true;
      state.set(/** @type {Partial<T["state"]>} */ ({ ...patch, step }), "pick");
    },
    /** @param {KeyboardEvent} event */
    onKey(event) {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const isTaken = event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
      const isElsewhere =
        event.target instanceof Element && event.target.closest("input, select, textarea, [role=slider]");
      if (by === undefined || isTaken || isElsewhere) return;
      const step = walked() + by;
      if (step < 1 || step > (scene?.steps.length ?? 0)) return; // in a deck, the key goes on to the next slide
      event.preventDefault();
      onStep(step);
    },
    /** @param {Readonly<T["state"]>} value */
    grid: (value) => (data && concept.grid?.(value, data)) ?? [],
    film,
    held: async () => (data && (await concept.held?.(data))) ?? { state: {}, records: [] },
    /** The requests by which what is drawn has come. */
    sent: () => requestsOf(data && concept.drawn ? concept.drawn(data) : answers),
    /** The call with all numbers drawn, where the page computes them by itself. */
    comparison: () =>
      data && concept.difference ? ownCall(concept, /** @type {Readonly<T["state"]>} */ (data.state)) : null,
    pictures: () => [...root.querySelectorAll(concept.pictures ?? PICTURES)],
    /** @param {import("../../api/types.js").AnswerTo<T["stem"]>} answer */
    difference: (answer) => (data && concept.difference?.(data, answer)) ?? NaN,
  };
}

/**
 * @template {Types} T
 * @param {(state: Readonly<T["state"]>) => T["answer"]} source
 * @param {(answer: T["answer"]) => boolean} [isWaiting]
 * @returns {(state: Readonly<T["state"]>) => import("./latest_answer.js").Told<T["state"]>}
 */
function fromPage(source, isWaiting = () => false) {
  return (state) => {
    const answer = source(state);
    return { state, answers: [answer], isPending: isWaiting(answer), problem: null, failure: null };
  };
}

/**
 * @template {Types} T
 * @param {import("./concept.js").Parts<T>} concept
 * @param {Readonly<T["state"]>} state
 * @param {unknown[]} answers
 * @returns {T["data"]}
 */
export function dataOf(concept, state, [answer, ...others]) {
  const within = concept.within ? { ...state, ...concept.within(state, answer) } : state;
  const data = /** @type {import("./concept.js").Given<T>} */ ({ state: within, answer, others });
  return concept.data?.(data) ?? data;
}

/**
 * Controls drawn from the state follow it at once, whether or not the server accepts it.
 * @template {Types} T
 * @param {import("./concept.js").Page<T>} page
 */
function bindControls({ root, concept, state }) {
  const tools = { set: state.set, latest: state.get };
  const controls = Object.entries(concept.controls ?? {}).map(([selector, view]) =>
    mount(need(root, selector), view, tools),
  );
  const buttons = Object.entries(concept.buttons ?? {}).map(([selector, patch]) => {
    const button = /** @type {HTMLButtonElement} */ (need(root, selector));
    button.addEventListener("click", () => state.set(patch(state.get()) ?? {}, "pick"));
    return { button, patch };
  });
  const draw = () => {
    const value = state.get();
    for (const show of controls) show({ state: value });
    for (const { button, patch } of buttons) button.disabled = patch(value) === null;
  };
  state.subscribe(draw);
  draw();
}

/**
 * @template {Types} T
 * @param {import("./concept.js").Page<T>} page
 * @returns {(data: T["data"]) => void}
 */
function bindViews({ root, concept, state }) {
  const { views, texts = {}, shown = {}, explorer } = concept;
  // Data of a page's own still hold its state.
  const tools = /** @type {import("./concept.js").Tools<T["data"]["state"]>} */ ({ set: state.set, latest: state.get });
  const mounted = Object.entries(views).map(([selector, view]) => mount(need(root, selector), view, tools));
  return (data) => {
    for (const show of mounted) show(data);
    for (const [selector, text] of Object.entries(texts)) {
      const place = need(root, selector);
      sayMaths(place, text(data));
    }
    for (const [selector, isShown] of Object.entries(shown)) need(root, selector).hidden = !isShown(data);
    if (explorer) linkToExplorer(root, explorer(data));
  };
}
