/** A moving picture: the steps, or states of a page's own, shown one after the other, played or moved through by hand. */

import { LAST_STEP } from "../../base/fields.js";
import { el, fill } from "../../base/dom.js";
import { maths, plainMaths } from "../../base/maths_text.js";
import { labelled, t } from "../../base/i18n.js";

/**
 * @template S
 * @typedef {{patch: Partial<S>, says: string, line?: Element}} Shot  a state, what is to be seen in it, and its numbers
 */

/** @typedef {import("./concept.js").Scene} Scene */

/** How long a shot is shown, in ms: enough to read a short sentence. */
const SHOT_MS = 2200;

/**
 * @template {import("./concept.js").Types} T
 * @param {import("./concept.js").Page<T>} page
 * @returns {{draw: (data: T["data"], scene: Scene) => void, shots: () => Shot<T["state"]>[]}}
 */
export function createFilm({ root, concept, state }) {
  const box = root.querySelector("#film");
  if (!box) return { draw: () => {}, shots: () => [] };
  /** @type {Shot<T["state"]>[]} */
  let shots = [];
  let last = LAST_STEP;
  /** @type {Node | null} */
  let told = null;
  /** @type {ReturnType<typeof setInterval> | null} */
  let playing = null;
  const button = el("button", {
    type: "button",
    class: "button film-play",
    onclick: () => (playing ? stop() : play()),
  });
  const slider = el("input", { type: "range", min: 0, step: 1, "aria-label": t("Moment"), oninput: onMove });
  const says = el("p", { class: "film-says" });
  fill(box, button, slider, says);
  name();

  /** The shot that the state is; −1 for a state of one's own. */
  function now() {
    const { step } = state.get();
    const value = /** @type {Record<string, unknown>} */ ({ ...state.get(), step: step < last ? step : LAST_STEP });
    return shots.findIndex(({ patch }) =>
      Object.entries(patch).every(([field, wanted]) => JSON.stringify(value[field]) === JSON.stringify(wanted)),
    );
  }

  /**
   * In a state of one's own, the step is told.
   * @param {{says: string, line?: Element}} shot
   * @param {string} place
   */
  function tell({ says: text, line }, place) {
    const numbers = /** @type {Element | undefined} */ (line?.cloneNode(true));
    const next = el("p", { class: "film-says" }, el("span", { class: "film-at" }, place), ...maths(text));
    if (numbers) next.append(" ", numbers);
    if (next.isEqualNode(told)) return;
    told = next.cloneNode(true);
    fill(says, ...next.childNodes);
    if (numbers && says.scrollWidth > says.clientWidth) numbers.remove(); // they stand in the calculation too
  }

  /** @param {number} index */
  function go(index) {
    state.set(shots[index].patch, "switch");
  }

  function play() {
    const first = now();
    go(first < 0 || first === shots.length - 1 ? 0 : first + 1);
    playing = setInterval(() => {
      // The next shot waits until this one is drawn, and nobody is carried away from a state of their own.
      if (root.querySelector("#concept")?.getAttribute("aria-busy") === "true") return;
      const next = now() + 1;
      if (next === 0 || next >= shots.length) stop();
      else go(next);
    }, SHOT_MS);
    name();
  }

  function stop() {
    if (playing) clearInterval(playing);
    playing = null;
    name();
  }

  function onMove() {
    stop();
    go(Number(slider.value));
  }

  function name() {
    button.textContent = playing ? `❚❚ ${t("Pause")}` : `▶ ${t("Play")}`;
  }

  const draw = (/** @type {T["data"]} */ data, /** @type {Scene} */ scene) => {
    last = scene.steps.length;
    const own = concept.film?.(data) ?? [];
    /** @type {Shot<T["state"]>[]} */
    const source = own.length > 0 ? own : stepShots(scene.steps);
    shots = source.map((shot) => ({ ...shot, patch: withLast(shot.patch, last) }));
    const index = now();
    slider.max = String(Math.max(shots.length - 1, 0));
    slider.value = String(Math.max(index, 0));
    const place = `${index >= 0 ? index + 1 : "–"} / ${shots.length}`;
    const shot = index >= 0 ? shots[index] : scene.steps[Math.min(state.get().step, last) - 1];
    slider.setAttribute("aria-valuetext", index >= 0 ? labelled(place, plainMaths(shot.says)) : t("your own settings"));
    says.setAttribute("aria-live", playing ? "polite" : "off"); // moved by hand, the slider says it
    tell(shot, place);
    box.toggleAttribute("hidden", shots.length < 2);
  };

  return { draw, shots: () => shots };
}

/**
 * The steps of the calculation, where a page has no film of its own.
 * @template {{step: number}} S
 * @param {Scene["steps"]} steps
 * @returns {Shot<S>[]}
 */
function stepShots(steps) {
  const patchOf = (/** @type {unknown} */ step) => /** @type {Partial<S>} */ ({ step });
  return steps.map(({ says, line }, index) => ({ patch: patchOf(index + 1), says, line }));
}

/**
 * A patch in which the last step is the last, however many there will be.
 * @template {{step: number}} S
 * @param {Partial<S>} patch
 * @param {number} last
 * @returns {Partial<S>}
 */
function withLast(patch, last) {
  return patch.step !== undefined && patch.step >= last ? { ...patch, step: LAST_STEP } : patch;
}
