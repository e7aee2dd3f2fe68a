/** Present the course: a lesson's text, its concept's page, then its exercises one by one, in large type. */

import { bindPresenting, isPresenting, presented } from "../page/present.js";
import { bindTypeFit } from "../page/type_fit.js";
import { need } from "../base/dom.js";
import { loadLook } from "./looks.js";

/**
 * @param {Document} root
 * @param {readonly HTMLElement[]} lessons
 */
export function presentLessons(root, lessons) {
  const figures = lessons.map(({ dataset }) => ({ name: dataset.title ?? "", notice: "" }));
  let figure = Math.max(
    0,
    lessons.findIndex(({ id }) => location.hash === `#${id}`),
  );
  let step = 1;
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-present]"))) {
    button.addEventListener("click", () => {
      go({ figure: lessons.findIndex(({ id }) => id === button.dataset.present), step: 1 });
      need(root, "#present").click();
    });
  }
  const show = bindPresenting(root, { now, go }, () => {
    const query = new URLSearchParams(location.search);
    query.delete("present");
    presented(query);
    history.replaceState(null, "", `${location.pathname}?${query}${location.hash}`);
    draw();
  });
  const fitType = bindTypeFit(need(root, ".course"), () => `${figure} ${step}`);
  takeKeys(root, () => lessons[figure]);
  draw();

  function now() {
    return { figures, figure, steps: slidesOf(lessons[figure]).length, step };
  }

  /** @param {import("../page/deck.js").Place} place */
  function go(place) {
    const isBack = place.figure !== null && place.figure < figure && place.step > 1;
    figure = place.figure ?? figure;
    const steps = slidesOf(lessons[figure]).length;
    step = isBack ? steps : Math.min(place.step, steps);
    draw();
  }

  function draw() {
    stage(root, lessons[figure], slidesOf(lessons[figure])[step - 1]);
    show();
    fitType();
  }
}

/**
 * Keys that a frame of the lesson shown does not use are the presentation's.
 * @param {Document} root
 * @param {() => HTMLElement} lesson
 */
function takeKeys(root, lesson) {
  addEventListener("message", ({ source, data }) => {
    const isOurs = [...lesson().querySelectorAll("iframe")].some((frame) => frame.contentWindow === source);
    if (!isOurs || !isPresenting() || data?.type !== "observatory:key") return;
    const { key, code, shiftKey } = data;
    root.dispatchEvent(new KeyboardEvent("keydown", { key, code, shiftKey, bubbles: true, cancelable: true }));
  });
}

/**
 * What is shown one after the other: the lesson's text, which is null, the page to look at, the exercises.
 * @param {HTMLElement} lesson
 * @returns {(HTMLElement | null)[]}
 */
function slidesOf(lesson) {
  return [null, .../** @type {NodeListOf<HTMLElement>} */ (lesson.querySelectorAll(".lesson-look, .exercise"))];
}

/**
 * Puts a slide of a lesson on the stage.
 * @param {Document} root
 * @param {HTMLElement} lesson
 * @param {HTMLElement | null | undefined} part
 */
function stage(root, lesson, part) {
  for (const element of root.querySelectorAll(".is-on-stage, .is-given"))
    element.classList.remove("is-on-stage", "is-given");
  lesson.classList.add("is-on-stage");
  const isExercise = part?.classList.contains("exercise") ?? false;
  lesson.classList.toggle("has-exercise-on-stage", isExercise);
  lesson.classList.toggle("has-look-on-stage", part !== null && !isExercise);
  part?.classList.add("is-on-stage");
  if (part && isExercise) showGiven(lesson, part);
  if (!isPresenting()) return;
  for (const fold of lesson.querySelectorAll(".lesson-exercises, .lesson-look")) fold.setAttribute("open", "");
  // Ahead, so that the page is there when its slide is.
  for (const look of lesson.querySelectorAll("details.lesson-look")) loadLook(/** @type {HTMLDetailsElement} */ (look));
  // A frame that is left keeps the focus, and with it the keys.
  if ((part === null || isExercise) && root.activeElement instanceof HTMLIFrameElement) {
    need(root, "main").focus({ preventScroll: true });
  }
}

/**
 * An exercise that goes on from another shows that one's question above its own.
 * @param {HTMLElement} lesson
 * @param {HTMLElement} exercise
 */
function showGiven(lesson, exercise) {
  const { after } = exercise.dataset;
  const earlier = after ? /** @type {HTMLElement | null} */ (lesson.querySelector(`[data-exercise="${after}"]`)) : null;
  if (!earlier) return;
  earlier.classList.add("is-given");
  showGiven(lesson, earlier);
}
