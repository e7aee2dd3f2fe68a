/**
 * Exercises: a question, answers checked within a tolerance, slips that are recognised, and the solution. Progress stays
 * in the browser.
 */

import { ASKED_LATER } from "./asked_later.js";
import { isRight, judge, verdictText, written } from "./answer_check.js";
import { maths } from "../../base/maths/maths_text.js";
import { askConcept } from "../../api/analyses.js";
import { el, fill, plainButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { KEYS } from "../../base/kept.js";
import { pageScheduler } from "../../requests/page_requests.js";
import { failureView } from "../../page/failure.js";
import { mount } from "../../base/mount.js";
import { slipsIn } from "./slips.js";

/** @typedef {import("../../api/types.js").Stem} Stem */

/**
 * @typedef {object} Served  the call with which the server solves an exercise
 * @property {import("../../api/types.js").Call} call
 * @property {(answer: unknown) => number[]} pick  the numbers from the call's answer
 */

/**
 * @template [S=object]  the state of its page
 * @typedef {object} Question
 * @property {string} id  unique in the product, such as "scoring-x1"; progress is kept under it
 * @property {string} question
 * @property {string} [after]  the exercise that it goes on from: without that one's question it cannot be answered
 * @property {string[]} labels  of the numbers asked for
 * @property {number[]} expected
 * @property {number} tolerance  of each number
 * @property {import("./slips.js").Slip[]} slips  the commonest ones, worked out from the exercise's own numbers
 * @property {string[]} way  the solution, a sentence or a line of numbers each
 * @property {Partial<S>} [state]  shows it in the chart
 */

/**
 * @template [S=object]
 * @typedef {Question<S> & Partial<Served>} Exercise
 */

/**
 * The call with which the server solves an exercise; `pick` takes the numbers from its answer.
 * @template {Stem} P
 * @param {P} stem
 * @param {import("../../api/types.js").Body<P>} body
 * @param {(answer: import("../../api/types.js").AnswerTo<P>) => number[]} pick
 */
export function served(stem, body, pick) {
  return /** @type {Served} */ (/** @type {unknown} */ ({ call: { stem, body }, pick }));
}

/** @returns {Set<string>}  ids of the exercises solved in this browser */
export function solved() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEYS.exercises) ?? "[]");
    return new Set(Array.isArray(kept) ? kept.filter((id) => typeof id === "string") : []);
  } catch {
    return new Set();
  }
}

/** @param {string} id */
function remember(id) {
  try {
    localStorage.setItem(KEYS.exercises, JSON.stringify([...solved().add(id)].sort()));
  } catch {
    // Storage may be forbidden: the answer was right all the same.
  }
}

/**
 * Draws the exercises of a concept's page.
 * @template {import("./concept.js").Types} T
 * @param {import("./concept.js").Page<T>} page
 */
export function bindExercises({ root, concept, state, presets }) {
  const place = root.querySelector("#exercises");
  const list = concept.exercises?.() ?? [];
  const section = place?.closest("section");
  if (section) section.hidden = list.length === 0;
  if (!(place instanceof HTMLElement) || list.length === 0) return;
  const onShow = (/** @type {Partial<T["state"]>} */ patch) => {
    state.set(presets.whole(patch), "pick");
    root.querySelector("#concept")?.scrollIntoView();
  };
  const isLater = (/** @type {{id: string}} */ { id }) =>
    (ASKED_LATER[id] ?? place.dataset.lesson) !== place.dataset.lesson;
  const own = list.filter((exercise) => !isLater(exercise));
  exercisesView(place, own, { onShow });
  const titles =
    /** @type {HTMLTemplateElement | null} */ (root.querySelector("#lesson-titles"))?.content.children ?? [];
  let count = own.length;
  for (const lesson of /** @type {Iterable<HTMLElement>} */ (titles)) {
    const later = list.filter((exercise) => isLater(exercise) && ASKED_LATER[exercise.id] === lesson.dataset.lesson);
    if (later.length === 0) continue;
    const named = { number: lesson.dataset.number ?? "", title: lesson.textContent ?? "" };
    const grid = el("div", { class: "exercises" });
    exercisesView(grid, later, { onShow, first: count + 1 });
    const heading = el("h3", {}, t("After lesson {number}: {title}", named));
    place.append(el("section", { class: "exercise-later" }, heading, grid));
    count += later.length;
  }
}

/**
 * @template S
 * @param {HTMLElement} element
 * @param {readonly Exercise<S>[]} list
 * @param {{onShow?: (state: Partial<S>) => void, first?: number}} [options]  `first`: number of the first one
 */
export function exercisesView(element, list, { onShow, first = 1 } = {}) {
  const done = solved();
  fill(element, ...list.map((exercise, index) => exerciseOf(exercise, first + index, done.has(exercise.id), onShow)));
  return { destroy: () => element.replaceChildren() };
}

/**
 * @template S
 * @param {Exercise<S>} exercise
 * @param {number} number
 * @param {boolean} isSolved
 * @param {((state: Partial<S>) => void) | undefined} onShow
 */
function exerciseOf(exercise, number, isSolved, onShow) {
  const mark = el("span", { class: "exercise-mark is-good" }, isSolved ? t("solved") : "");
  const verdict = el("p", { class: "exercise-verdict", role: "status" });
  const fields = exercise.labels.map((label, index) => {
    const input = el("input", {
      type: "text",
      inputmode: "text",
      autocomplete: "off",
      id: `${exercise.id}-${index}`,
      class: "exercise-number",
    });
    return { input, element: el("label", { for: input.id }, ...maths(label), " ", input) };
  });
  const form = el(
    "form",
    { class: "exercise-answer", novalidate: true },
    ...fields.map((field) => field.element),
    el("button", { type: "submit", class: "button" }, t("Check")),
    el("span", { class: "note" }, exercise.tolerance > 0 ? t("within ±{tolerance}", exercise) : t("exactly")),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const verdicts = fields.map(({ input }, index) => judge(input.value, exercise.expected[index], exercise.tolerance));
    fields.forEach(({ input }, index) => {
      input.setAttribute("aria-invalid", String(!isRight(verdicts[index])));
      input.classList.toggle("is-right", isRight(verdicts[index]));
    });
    const isAnswered = verdicts.every(isRight);
    if (isAnswered) remember(exercise.id);
    if (isAnswered) mark.textContent = t("solved");
    verdict.className = `exercise-verdict ${isAnswered ? "is-good" : "is-bad"}`;
    const typed = fields.map(({ input }) => input.value);
    fill(verdict, ...maths(verdictText(verdicts, exercise, slipsIn(typed, exercise))));
  });
  return el(
    "article",
    { class: "exercise", "data-exercise": exercise.id, "data-after": exercise.after ?? null },
    el("p", { class: "exercise-question" }, el("strong", {}, `${number}. `), ...maths(exercise.question), " ", mark),
    form,
    verdict,
    wayOf(exercise, onShow),
  );
}

/**
 * The solution, with the server's own numbers where it can compute them.
 * @template S
 * @param {Exercise<S>} exercise
 * @param {((state: Partial<S>) => void) | undefined} onShow
 */
function wayOf({ way, expected, state, call, pick }, onShow) {
  const served = el("p", { class: "note exercise-served" });
  const problem = el("div", { class: "failure" });
  const show = mount(problem, failureView, {});
  /** @type {import("../../requests/request_scheduler.js").Job | null} */
  let job = null;
  const details = el(
    "details",
    { class: "disclosure" },
    el("summary", {}, t("Solution")),
    el("ol", { class: "exercise-way" }, ...way.map((line) => el("li", {}, ...maths(line)))),
    el("p", {}, t("Answer: {numbers}", { numbers: written(expected) })),
    call ? served : null,
    problem,
    state && onShow ? plainButton(t("Show it on the page"), () => onShow(state)) : null,
  );
  details.addEventListener("toggle", () => {
    if (!details.open || !call || !pick || served.textContent || job) return;
    job = pageScheduler().submit({
      lane: `exercise ${call.stem}`,
      send: (signal) => askConcept(call, signal),
      onValue(answer) {
        job = null;
        show(null);
        served.textContent = t("The server computes: {numbers}", { numbers: written(expected, pick(answer)) });
      },
      onChange: () => show(job?.failure() ?? null),
    });
  });
  return details;
}
