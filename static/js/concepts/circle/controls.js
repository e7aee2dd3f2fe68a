/** The circle's controls beside its fields: numbers for what can also be dragged, and the query that goes round by itself. */

import { LISTS, LONGEST, bounded, withArrow } from "./state.js";
import { around, round } from "./handles.js";
import { drawnView } from "../frame/views.js";
import { need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("./state.js").CircleState} CircleState */
/** @typedef {import("../frame/concept.js").ConceptView<{state: Readonly<CircleState>}>} View */

const ROUND_MS = 12_000;
const TURN_AT_ONCE = 15;

/**
 * Angle and length of the chosen query or key, as numbers.
 * @param {"query" | "key"} kind
 * @returns {View}
 */
export function arrowControl(kind) {
  return drawnView((element, { set, latest }) => {
    const input = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (need(element, `#${kind}-${name}`));
    const [angle, length] = [input("angle"), input("length")];
    const change = (/** @type {{angle?: number, length?: number}} */ patch) =>
      set(withArrow(latest(), { kind, index: latest()[kind] }, patch), "type");
    angle.addEventListener("input", () => {
      if (angle.value !== "" && angle.validity.valid) change({ angle: Number(angle.value) });
    });
    length.addEventListener("input", () => {
      if (length.value === "" || !length.validity.valid) return;
      change({ length: bounded(Number(length.value), 0, LONGEST) });
    });
    return ({ state }) => {
      const [angles, lengths] = LISTS[kind];
      put(angle, String(round(state[angles][state[kind]], 3)));
      put(length, String(state[lengths][state[kind]]));
    };
  });
}

/**
 * Does not overwrite a field while the user types in it.
 * @param {HTMLInputElement} field
 * @param {string} text
 */
function put(field, text) {
  if (field === document.activeElement && Number(field.value) === Number(text)) return;
  if (field.value !== text) field.value = text;
}

/** The chosen query goes round; where motion is not wanted, each press turns it a little. @type {View} */
export const playButton = drawnView((button, { set, latest }) => {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let frame = 0;
  let before = 0;
  still.addEventListener("change", say);
  button.addEventListener("click", () => {
    if (frame) stop();
    else if (still.matches) turn(TURN_AT_ONCE, "pick");
    else start();
    say();
  });
  return say;

  function say() {
    button.textContent = still.matches
      ? t("Rotate the query by {angle}°", { angle: TURN_AT_ONCE })
      : frame
        ? t("Stop")
        : t("Rotate the query continuously");
  }

  function start() {
    before = performance.now();
    set({ trail: true }, "pick");
    frame = requestAnimationFrame(next);
  }

  function stop() {
    cancelAnimationFrame(frame);
    frame = 0;
    turn(0, "settle");
  }

  /** @param {number} now */
  function next(now) {
    turn((360 * (now - before)) / ROUND_MS, "move");
    before = now;
    frame = requestAnimationFrame(next);
  }

  /** @param {number} by @param {string} origin */
  function turn(by, origin) {
    const { queryAngles, query: index } = latest();
    const angle = queryAngles[index] + by;
    set(withArrow(latest(), { kind: "query", index }, { angle: around(frame ? angle : round(angle, 1)) }), origin);
  }
});
