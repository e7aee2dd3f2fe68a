/** The lessons page: the course in order, with exercises and this reader's progress. */

import { placed } from "../base/place.js";
import { bindPlainTools } from "../page/header_tools.js";
import { bindLessonPrinting } from "./printing.js";
import { bindLooks } from "./looks.js";
import { bindTermCards } from "../concepts/frame/story.js";
import { courseExercises } from "./course.js";
import { lastPlace, rememberPlace } from "../page/course_place.js";
import { passFrameKeysOn } from "../page/framed.js";
import { need } from "../base/dom.js";
import { exercisesView, solved } from "../concepts/frame/exercises.js";
import { presentLessons } from "./presenting.js";
import { setMessages, t } from "../base/i18n.js";

start(document);

/** @param {Document} root */
function start(root) {
  setMessages(JSON.parse(need(root, "#messages").textContent ?? "null"));
  const lessons = [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".lesson"))];
  const exercises = courseExercises(
    Object.fromEntries(lessons.map(({ id, dataset }) => [id, dataset.stems?.split(" ") ?? []])),
  );
  for (const lesson of lessons) {
    exercisesView(need(lesson, ".exercises"), exercises[lesson.id]);
    need(lesson, ".lesson-exercises").hidden = exercises[lesson.id].length === 0;
    lesson.addEventListener("click", () => rememberPlace(`#${lesson.id}`));
  }
  // The exercises above the lesson of the address have only now their height.
  root.getElementById(location.hash.slice(1))?.scrollIntoView();
  showContinue(root);
  bindTermCards(root);
  bindLooks(root);
  passFrameKeysOn(root);
  if (!root.body.classList.contains("is-bare")) {
    bindPlainTools(root);
    bindLessonPrinting(root);
    presentLessons(root, lessons);
  }
  // An exercise remembers an answer while its form is being submitted.
  root.addEventListener("submit", () => queueMicrotask(tell));
  tell();

  function tell() {
    const done = solved();
    let count = 0;
    let total = 0;
    for (const { id } of lessons) {
      const here = exercises[id].filter((exercise) => done.has(exercise.id)).length;
      count += here;
      total += exercises[id].length;
      for (const mark of root.querySelectorAll(`[data-done=${id}]`)) {
        mark.textContent = exercises[id].length > 0 ? `${here} / ${exercises[id].length}` : "";
        mark.classList.toggle("is-good", here > 0 && here === exercises[id].length);
      }
    }
    const bar = /** @type {HTMLProgressElement} */ (need(root, "#progress-bar"));
    bar.max = total;
    bar.value = count;
    need(root, "#progress").textContent = t("{count} of {total} exercises solved; saved only in this browser.", {
      count,
      total,
    });
  }
}

/**
 * The link to the concept or lesson that was opened last.
 * @param {Document} root
 */
function showContinue(root) {
  const place = lastPlace();
  const isLesson = place.startsWith("#");
  const lesson = [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".lesson"))].find(
    ({ id, dataset }) => (isLesson ? place === `#${id}` : place !== "" && dataset.stems?.split(" ").includes(place)),
  );
  if (!lesson) return;
  const link = /** @type {HTMLAnchorElement} */ (need(root, "#continue"));
  const lang = root.documentElement.lang;
  link.href = isLesson ? place : placed(`/${place}?lang=${lang}`);
  link.textContent = t("Continue: {lesson}", { lesson: lesson.dataset.title ?? "" });
}
