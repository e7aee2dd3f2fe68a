/** The lessons page: the course in order, with exercises and this reader's progress. */

import { maths } from "../base/maths_text.js";
import { bindTools } from "../concepts/frame/tools.js";
import { lessons } from "./course.js";
import { el, fill, need } from "../base/dom.js";
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
  const course = lessons();
  const marks = course.map((lesson) => el("span", { class: "lesson-done" }, doneText(lesson)));
  const total = need(root, "#progress");
  fill(
    need(root, "#course"),
    ...course.map((lesson, index) => lessonOf(lesson, index + 1, marks[index], lang || root.documentElement.lang)),
  );
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
    course.forEach((lesson, index) => (marks[index].textContent = doneText(lesson)));
  }
}

/** @param {Readonly<CommonState>} value */
function write({ lang, theme }) {
  return new URLSearchParams({ ...(lang ? { lang } : {}), ...(theme ? { theme } : {}) });
}

/** @param {import("./course.js").Lesson} lesson */
function doneText({ exercises }) {
  const done = solved();
  const count = exercises.filter((one) => done.has(one.id)).length;
  return exercises.length === 0 ? "" : `${count} / ${exercises.length}`;
}

/**
 * @param {import("./course.js").Lesson} lesson
 * @param {number} number
 * @param {HTMLElement} mark
 * @param {string} lang
 */
function lessonOf({ id, title, says, looks, exercises }, number, mark, lang) {
  const place = el("div", { class: "exercises" });
  if (exercises.length > 0) exercisesView(place, exercises);
  return el(
    "section",
    { class: "lesson", id, "aria-labelledby": `${id}-title` },
    el("h2", { id: `${id}-title` }, `${number}. `, ...maths(title), " ", mark),
    el("p", { class: "lesson-says" }, ...maths(says)),
    el(
      "ul",
      { class: "points" },
      ...looks.map((look) => el("li", {}, el("a", { href: inLanguage(look.path, lang) }, ...maths(look.says)))),
    ),
    exercises.length > 0 ? el("details", { class: "disclosure" }, el("summary", {}, t("Exercises")), place) : null,
  );
}

/** @param {string} path @param {string} lang */
function inLanguage(path, lang) {
  return `${path}${path.includes("?") ? "&" : "?"}lang=${lang}`;
}
