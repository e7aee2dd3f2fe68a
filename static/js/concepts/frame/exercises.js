/** Exercises: a question, answers checked within a tolerance, and the solution. Progress stays in the browser. */

import { maths } from "../../base/maths_text.js";
import { askConcept } from "../../api/analyses.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { pageScheduler } from "../../requests/page_requests.js";
import { failureView } from "../../page/failure.js";
import { mount } from "../../base/mount.js";

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
 * @property {string[]} labels  of the numbers asked for
 * @property {number[]} expected
 * @property {number} tolerance  of each number
 * @property {string[]} way  the solution, a sentence or a line of numbers each
 * @property {Partial<S>} [state]  shows it in the chart
 */

/**
 * @template [S=object]
 * @typedef {Question<S> & Partial<Served>} Exercise
 */

const STORED = "observatory-exercises";

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
    const kept = JSON.parse(localStorage.getItem(STORED) ?? "[]");
    return new Set(Array.isArray(kept) ? kept.filter((one) => typeof one === "string") : []);
  } catch {
    return new Set();
  }
}

/** @param {string} id */
function remember(id) {
  try {
    localStorage.setItem(STORED, JSON.stringify([...solved().add(id)].sort()));
  } catch {
    // Storage may be forbidden: the answer was right all the same.
  }
}

/**
 * A number as people write it: 0.5, .5, −3, 1/3, 1,048,576.
 * @param {string} typed
 * @returns {number}  NaN for what is none
 */
export function readNumber(typed) {
  const plain = typed.normalize("NFKC").replace(/[−ー]/g, "-").replace(/\s/g, "");
  const whole = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain) ? plain.replaceAll(",", "") : plain;
  const [above, below, ...rest] = whole.split("/");
  if (whole === "" || rest.length > 0 || above === "" || below === "") return NaN;
  return below === undefined ? Number(above) : Number(above) / Number(below);
}

/**
 * Which of the numbers are right.
 * @param {readonly number[]} given
 * @param {Pick<Exercise, "expected" | "tolerance">} exercise
 * @returns {boolean[]}
 */
export function check(given, { expected, tolerance }) {
  // A typed 0.805 is within 0.0006 of 0.8044, whatever binary fractions make of it.
  return expected.map((one, index) => Math.abs(given[index] - one) <= tolerance * (1 + 1e-9));
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
  exercisesView(place, list, { onShow });
}

/**
 * @template S
 * @param {HTMLElement} element
 * @param {readonly Exercise<S>[]} list
 * @param {{onShow?: (state: Partial<S>) => void}} [options]
 */
export function exercisesView(element, list, { onShow } = {}) {
  const done = solved();
  fill(element, ...list.map((exercise, index) => exerciseOf(exercise, index + 1, done.has(exercise.id), onShow)));
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
    const right = check(
      fields.map(({ input }) => readNumber(input.value)),
      exercise,
    );
    fields.forEach(({ input }, index) => {
      input.setAttribute("aria-invalid", String(!right[index]));
      input.classList.toggle("is-right", right[index]);
    });
    const isRight = right.every(Boolean);
    if (isRight) remember(exercise.id);
    if (isRight) mark.textContent = t("solved");
    verdict.className = `exercise-verdict ${isRight ? "is-good" : "is-bad"}`;
    verdict.textContent = isRight ? t("Right.") : wrongText(right);
  });
  return el(
    "article",
    { class: "exercise", "data-exercise": exercise.id },
    el("p", { class: "exercise-question" }, el("strong", {}, `${number}. `), ...maths(exercise.question), " ", mark),
    form,
    verdict,
    wayOf(exercise, onShow),
  );
}

/** @param {boolean[]} right */
function wrongText(right) {
  const count = right.filter(Boolean).length;
  if (right.length === 1 || count === 0) return t("Not yet. Try again, or look at the solution.");
  return t("{count} of {total} are right.", { count, total: right.length });
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
  // As many digits as the answer is written with.
  const digits = expected.map((one) => (String(one).split(".")[1] ?? "").length);
  const list = (/** @type {number[]} */ values) => values.map((one, at) => fixed(one, digits[at])).join(", ");
  const details = el(
    "details",
    { class: "disclosure" },
    el("summary", {}, t("Solution")),
    el("ol", { class: "exercise-way" }, ...way.map((line) => el("li", {}, ...maths(line)))),
    el("p", {}, t("Answer: {numbers}", { numbers: list(expected) })),
    call ? served : null,
    problem,
    state && onShow
      ? el("button", { type: "button", class: "button", onclick: () => onShow(state) }, t("Show it on the page"))
      : null,
  );
  details.addEventListener("toggle", () => {
    if (!details.open || !call || !pick || served.textContent || job) return;
    job = pageScheduler().submit({
      lane: `exercise ${call.stem}`,
      send: (signal) => askConcept(call, signal),
      onValue(answer) {
        job = null;
        show(null);
        served.textContent = t("The server computes: {numbers}", { numbers: list(pick(answer)) });
      },
      onChange: () => show(job?.failure() ?? null),
    });
  });
  return details;
}
