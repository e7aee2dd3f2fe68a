/** The card of the guided look: one step of it, beside what it speaks of, which is outlined. */

import { el, fill, say } from "../../base/dom.js";
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
  const title = el("h2", { id: "guide-title" });
  const place = el("span", { class: "note guide-place" });
  const says = el("p", { id: "guide-says" });
  const more = el("p", { class: "note" }, el("a", { href: course }, t("The course, from the beginning")));
  const button = (/** @type {string} */ name, /** @type {() => void} */ onclick, kind = "") =>
    el("button", { type: "button", class: `button is-small ${kind}`, onclick }, name);
  const back = button(t("Back"), () => onStep(shown.step - 1));
  const next = button(
    "",
    () => (shown.step + 1 < guideSteps(shown).length ? onStep(shown.step + 1) : onEnd()),
    "is-primary",
  );
  const close = el("button", { type: "button", class: "series-close", "aria-label": t("End the look around") }, "×");
  close.addEventListener("click", onEnd);
  fill(
    element,
    el("div", { class: "guide-head" }, title, place, close),
    el("div", { "aria-live": "polite" }, says, more),
    el("div", { class: "guide-foot" }, back, next),
  );
  element.className = "guide"; // its sheet comes with this module
  element.hidden = false;
  const isOver = new AbortController();
  const { signal } = isOver;
  element.addEventListener("keydown", ({ key }) => key === "Escape" && onEnd(), { signal });
  globalThis.addEventListener("resize", stand, { signal });
  draw(data);
  next.focus({ preventScroll: true });

  /** @param {GuideData} now */
  function draw(now) {
    const isNew = now.step !== shown.step || target === null;
    shown = now;
    const steps = guideSteps(now);
    const step = steps[now.step];
    say(title, step.title);
    say(place, t("{step} of {count}", { step: now.step + 1, count: steps.length }));
    say(says, step.says);
    const isLast = now.step === steps.length - 1;
    more.hidden = !isLast;
    back.disabled = now.step === 0;
    say(next, isLast ? t("Done") : t("Next"));
    point(page.querySelector(step.target));
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
    const { left, top } = placeBeside(target.getBoundingClientRect(), element.getBoundingClientRect(), {
      width,
      height,
    });
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
