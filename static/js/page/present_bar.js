/** The bar of a presentation: where one is, the buttons that go on and back, and the pointer that the audience sees. */

import { el, plainButton } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { neighbour } from "./deck.js";
import { createPointerSpot } from "./pointer_spot.js";

/** @typedef {import("./deck.js").Standing} Standing */
/** @typedef {{figure: number, figures: number, step: number, steps: number}} Counts  the figure is 0 for one's own */

/** @param {Counts} counts */
function ofTalk(counts) {
  return counts.figure === 0 ? t("{figures} slides", counts) : `${counts.figure} / ${counts.figures}`;
}

/** @param {Counts} counts */
function ofFigures(counts) {
  return counts.figure === 0 ? t("{steps} steps", counts) : t("{figure} of {figures}, {steps} steps", counts);
}

/** @param {Counts} counts */
function ofSteps(counts) {
  return counts.figure === 0
    ? t("step {step} of {steps}", counts)
    : t("{figure} of {figures}, step {step} of {steps}", counts);
}

/**
 * @param {Document} root
 * @param {{move: (by: 1 | -1) => unknown, leave: () => void, openNotes: () => void}} options
 */
export function createPresentBar(root, { move, leave, openNotes }) {
  const spot = createPointerSpot(root);
  const name = el("strong", {});
  const notice = el("span", { class: "present-notice" });
  const place = el("span", { class: "present-place" });
  const back = button("‹", t("Back"), () => move(-1));
  const on = button("›", t("Next"), () => move(1));
  const out = button("×", t("Leave the presentation (Escape)"), leave);
  const notes = tool(t("Speaker notes"), openNotes);
  const pointer = tool(t("Pointer"), () => point());
  pointer.setAttribute("aria-pressed", "false");
  const says = el("p", { class: "present-says", role: "status" }, name, notice, place);
  const element = el("div", { class: "present-bar", hidden: true }, says, notes, pointer, back, on, out);
  root.body.append(element);
  let said = "";

  function point(isOn = !spot.isOn()) {
    spot.turn(isOn);
    pointer.setAttribute("aria-pressed", String(isOn));
  }

  return {
    point,
    /** @param {boolean} isOn */
    turn(isOn) {
      element.hidden = !isOn;
      if (!isOn) point(false);
    },
    /** @param {Standing} standing @param {boolean} hasNotes */
    say(standing, hasNotes) {
      const { figures, figure, steps, step, isTalk } = standing;
      notes.hidden = !hasNotes;
      /** @type {HTMLButtonElement} */ (back).disabled = neighbour(standing, -1) === null;
      /** @type {HTMLButtonElement} */ (on).disabled = neighbour(standing, 1) === null;
      const key = JSON.stringify([figure, figures.length, figures[figure]?.name, steps, step, isTalk]);
      if (key === said) return;
      said = key;
      name.textContent = figures[figure]?.name ?? "";
      notice.textContent = figures[figure]?.notice ?? "";
      const counts = { figure: figure + 1, figures: figures.length, step, steps };
      place.textContent = isTalk ? ofTalk(counts) : step === 0 ? ofFigures(counts) : ofSteps(counts);
    },
  };
}

/**
 * @param {string} sign
 * @param {string} name
 * @param {() => void} onclick
 */
function button(sign, name, onclick) {
  return plainButton(sign, onclick, { class: "button is-icon", "aria-label": name, title: name });
}

/**
 * @param {string} name
 * @param {() => void} onclick
 */
function tool(name, onclick) {
  return plainButton(name, onclick, { class: "button present-tool" });
}
