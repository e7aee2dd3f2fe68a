/** The card of the guided look: one step of it, beside what it speaks of, which is outlined. */

import { el, fill, say, smallButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { placeBeside } from "./placing.js";
import { OTHER_HEAD, guideSteps } from "./steps.js";

/** @typedef {import("./steps.js").Pictured & {step: number}} GuideData */

/** As `guide.css` has it: narrower windows show the card at their foot. */
const IS_WIDE = "(min-width: 40rem)";

/** Whether another head is open at a step. @param {number} step */
export const isOtherHead = (step) => step === OTHER_HEAD;

/**
 * @param {HTMLElement} element
 * @param {GuideData} data
 * @param {{onStep: (step: number) => void, onEnd: () => void, course: string}} options  `course`: address of the lessons
 * @returns {import("../../base/mount.js").View<GuideData>}
 */
export function guideView(element, data, { onStep, onEnd, course }) {
  const page = element.ownerDocument;
  let shown = data;
  /** @type {Element | null} */
  let target = null;
  const card = createCard(course, {
    onBack: () => onStep(shown.step - 1),
    onNext: () => (shown.step + 1 < guideSteps(shown).length ? onStep(shown.step + 1) : onEnd()),
    onEnd,
  });
  fill(element, ...card.elements);
  element.className = "guide"; // its sheet comes with this module
  element.hidden = false;
  const isOver = new AbortController();
  const { signal } = isOver;
  element.addEventListener("keydown", ({ key }) => key === "Escape" && onEnd(), { signal });
  globalThis.addEventListener("resize", stand, { signal });
  draw(data);
  card.next.focus({ preventScroll: true });

  /** @param {GuideData} now */
  function draw(now) {
    const isNew = now.step !== shown.step || target === null;
    shown = now;
    const steps = guideSteps(now);
    card.show(steps, now.step);
    point(page.querySelector(steps[now.step].target));
    if (isNew) target?.scrollIntoView({ block: "nearest", behavior: "auto" });
    stand();
  }

  /** @param {Element | null} at */
  function point(at) {
    if (target === at) return;
    target?.classList.remove("is-guided");
    at?.classList.add("is-guided");
    target = at;
  }

  function stand() {
    if (!target || !matchMedia(IS_WIDE).matches) return element.removeAttribute("style");
    const { clientWidth: width, clientHeight: height } = page.documentElement;
    const room = { width, height };
    const { left, top } = placeBeside(target.getBoundingClientRect(), element.getBoundingClientRect(), room);
    element.style.left = `${left + scrollX}px`;
    element.style.top = `${top + scrollY}px`;
  }

  return {
    update: draw,
    destroy() {
      isOver.abort();
      point(null);
      element.hidden = true;
      element.className = "";
      element.replaceChildren();
    },
  };
}

/**
 * What stands on the card.
 * @param {string} course  address of the lessons
 * @param {{onBack: () => void, onNext: () => void, onEnd: () => void}} options
 */
function createCard(course, { onBack, onNext, onEnd }) {
  const title = el("h2", { id: "guide-title" });
  const place = el("span", { class: "note guide-place" });
  const says = el("p", { id: "guide-says" });
  const more = el("p", { class: "note" }, el("a", { href: course }, t("The course, from the beginning")));
  const back = smallButton(t("Back"), onBack);
  const next = smallButton(null, onNext, { class: "button is-small is-primary" });
  const close = el(
    "button",
    { type: "button", class: "series-close", "aria-label": t("End the look around"), onclick: onEnd },
    "×",
  );
  return {
    next,
    elements: [
      el("div", { class: "guide-head" }, title, place, close),
      el("div", { "aria-live": "polite" }, says, more),
      el("div", { class: "guide-foot" }, back, next),
    ],
    /** @param {import("./steps.js").GuideStep[]} steps @param {number} at */
    show(steps, at) {
      const isLast = at === steps.length - 1;
      say(title, steps[at].title);
      say(place, t("{step} of {count}", { step: at + 1, count: steps.length }));
      say(says, steps[at].says);
      more.hidden = !isLast;
      back.disabled = at === 0;
      say(next, isLast ? t("Done") : t("Next"));
    },
  };
}
