/** Present the course: a lesson's text, then its exercises one by one, in large type. */

import { bindPresenting, isPresenting, presented } from "../page/present.js";
import { need } from "../base/dom.js";

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
  draw();

  function now() {
    return { figures, figure, steps: 1 + exercisesOf(figure).length, step };
  }

  /** @param {import("../page/deck.js").Place} place */
  function go(place) {
    const isBack = place.figure !== null && place.figure < figure && place.step > 1;
    figure = place.figure ?? figure;
    const steps = 1 + exercisesOf(figure).length;
    step = isBack ? steps : Math.min(place.step, steps);
    draw();
  }

  /** @param {number} at */
  function exercisesOf(at) {
    return [...lessons[at].querySelectorAll(".exercise")];
  }

  function draw() {
    for (const one of root.querySelectorAll(".is-on-stage")) one.classList.remove("is-on-stage");
    lessons[figure].classList.add("is-on-stage");
    const exercise = exercisesOf(figure)[step - 2];
    lessons[figure].classList.toggle("has-exercise-on-stage", exercise !== undefined);
    exercise?.classList.add("is-on-stage");
    if (exercise && isPresenting()) need(lessons[figure], ".lesson-exercises").setAttribute("open", "");
    show();
  }
}
