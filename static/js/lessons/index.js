/** The lessons page: the course in order, with exercises and this reader's progress. */

import { bindPlainTools } from "../page/header_tools.js";
import { courseExercises } from "./course.js";
import { need } from "../base/dom.js";
import { exercisesView, solved } from "../concepts/frame/exercises.js";
import { setMessages, t } from "../base/i18n.js";

start(document);

/** @param {Document} root */
function start(root) {
  setMessages(JSON.parse(need(root, "#messages").textContent ?? "null"));
  const course = Object.entries(courseExercises()).map(([id, exercises]) => {
    const lesson = need(root, `#${id}`);
    exercisesView(need(lesson, ".exercises"), exercises);
    return { exercises, mark: need(lesson, ".lesson-done") };
  });
  const total = need(root, "#progress");
  if (!root.body.classList.contains("is-bare")) bindPlainTools(root);
  // An exercise remembers an answer while its form is being submitted.
  root.addEventListener("submit", () => queueMicrotask(tell));
  tell();

  function tell() {
    const all = course.flatMap((lesson) => lesson.exercises);
    const done = solved();
    const count = all.filter((one) => done.has(one.id)).length;
    total.textContent = t("{count} of {total} exercises solved; saved only in this browser.", {
      count,
      total: all.length,
    });
    for (const { exercises, mark } of course) {
      mark.textContent = `${exercises.filter((one) => done.has(one.id)).length} / ${exercises.length}`;
    }
  }
}
