/** Draw a page: controls at once from the state; charts, texts and steps as soon as there is an answer. */

import { sayMaths } from "../../base/maths/maths_text.js";
import { bindAnswers, ownCall } from "./answer_binding.js";
import { bindFields } from "./field_controls.js";
import { fill, need } from "../../base/dom.js";
import { linkToExplorer } from "../../page/model_choice.js";
import { markSteps } from "./story.js";
import { bindPytorch } from "./pytorch.js";
import { createFilm } from "./film.js";
import { mount } from "../../base/mount.js";
import { requestsOf } from "../../requests/sent_requests.js";
import { stepsView } from "./steps.js";
import { createWalk } from "./walk.js";

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
  const walk = createWalk(state);
  /** @type {import("./concept.js").Scene | null} */
  let scene = null;
  /** @type {T["data"] | null} */
  let data = null;
  /** What `data` is made of. @type {unknown[]} */
  let answers = [];

  return {
    /** @param {Readonly<T["state"]>} value */
    draw(value) {
      walk.begin(value);
      const told = ask(value);
      if (told.state) {
        data = dataOf(concept, told.state, told.answers);
        answers = told.answers;
        show(data);
        scene = concept.steps(data);
        walk.take(scene.steps.length);
        code(data);
      }
      fields(value, told.answers[0], data);
      if (scene) {
        fill(need(root, "#formula"), ...scene.formulas);
        steps({ ...scene, step: walk.shown(value), onStep: walk.goTo });
        markSteps(root, walk.shown(value));
        if (data) film.draw(data, scene); // at the end, as it measures
      }
      return { isPending: told.isPending, problem: told.problem, hasSteps: scene !== null };
    },
    standing: walk.standing,
    onKey: walk.onKey,
    /** @param {import("../../page/deck.js").Place} place */
    go: ({ figure, step }) => walk.jump(figure === null ? {} : presets.list[figure].state, step),
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
