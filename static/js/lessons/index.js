/** The lessons page: the course in order, with exercises and this reader's progress. */

import { bindTools } from "../concepts/frame/tools.js";
import { courseExercises } from "./course.js";
import { need } from "../base/dom.js";
import { exercisesView, solved } from "../concepts/frame/exercises.js";
import { setMessages, t } from "../base/i18n.js";
import { createStore } from "../base/store.js";
import { applyTheme, chosenTheme } from "../base/theme.js";

/** @typedef {import("../base/fields.js").CommonState} CommonState */

start(document);

/** @param {Document} root */
function start(root) {
  setMessages(JSON.parse(need(root, "#messages").textContent ?? "null"));
  const lang = new URLSearchParams(location.search).get("lang") ?? "";
  const state = createStore(/** @type {CommonState} */ ({ lang, theme: chosenTheme(), step: 1 }));
  const course = Object.entries(courseExercises()).map(([id, exercises]) => {
    const lesson = need(root, `#${id}`);
    exercisesView(need(lesson, ".exercises"), exercises);
    return { exercises, mark: need(lesson, ".lesson-done") };
  });
  const total = need(root, "#progress");
  if (!root.body.classList.contains("is-bare")) {
    const tools = bindTools(root, { write }, state, (value) => `${location.pathname}?${write(value)}${location.hash}`);
    state.subscribe((value) => {
      applyTheme(value.theme);
      tools(value);
    });
    tools(state.get());
  }
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

/** @param {Readonly<CommonState>} value */
function write({ lang, theme }) {
  return new URLSearchParams({ ...(lang ? { lang } : {}), ...(theme ? { theme } : {}) });
}
