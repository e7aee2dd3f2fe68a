/** A moving picture: the steps, or states of a page's own, shown one after the other, played or moved through by hand. */

import { LAST_STEP } from "../../base/fields.js";
import { el, fill } from "../../base/dom.js";
import { maths, plainMaths } from "../../base/maths/maths_text.js";
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
  const player = createPlayer(root, { start, next });
  const slider = el("input", { type: "range", min: 0, step: 1, "aria-label": t("Moment"), oninput: onMove });
  const caption = createCaption();
  fill(box, player.button, slider, caption.says);

  const now = () => shotOf(shots, state.get(), last);

  /** @param {number} index */
  function go(index) {
    state.set(shots[index].patch, "switch");
  }

  /** Goes to the shot that playing begins with: after the last, and after a state of one's own, the first. */
  function start() {
    const at = now();
    go(at < 0 || at === shots.length - 1 ? 0 : at + 1);
  }

  /** @returns {boolean}  whether there is a next shot; nobody is carried away from a state of their own */
  function next() {
    const index = now() + 1;
    if (index === 0 || index >= shots.length) return false;
    go(index);
    return true;
  }

  function onMove() {
    player.stop();
    go(Number(slider.value));
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
    caption.tell(shot, place, player.isPlaying());
    box.toggleAttribute("hidden", shots.length < 2);
  };

  return { draw, shots: () => shots };
}

/**
 * The shot that a state is; −1 for a state of one's own.
 * @template {{step: number}} S
 * @param {readonly Shot<S>[]} shots
 * @param {Readonly<S>} state
 * @param {number} last  step
 */
export function shotOf(shots, state, last) {
  const value = /** @type {Record<string, unknown>} */ ({ ...state, step: state.step < last ? state.step : LAST_STEP });
  return shots.findIndex(({ patch }) =>
    Object.entries(patch).every(([field, wanted]) => JSON.stringify(value[field]) === JSON.stringify(wanted)),
  );
}

/**
 * The button that plays and pauses, and the clock behind it.
 * @param {ParentNode} root
 * @param {{start: () => void, next: () => boolean}} film  `next`: goes on, and says whether it could
 */
function createPlayer(root, { start, next }) {
  /** @type {ReturnType<typeof setInterval> | null} */
  let playing = null;
  const button = el("button", {
    type: "button",
    class: "button film-play",
    onclick: () => (playing ? stop() : play()),
  });
  name();

  function play() {
    start();
    playing = setInterval(() => {
      // The next shot waits until this one is drawn.
      if (root.querySelector("#concept")?.getAttribute("aria-busy") === "true") return;
      if (!next()) stop();
    }, SHOT_MS);
    name();
  }

  function stop() {
    if (playing) clearInterval(playing);
    playing = null;
    name();
  }

  function name() {
    button.textContent = playing ? `❚❚ ${t("Pause")}` : `▶ ${t("Play")}`;
  }

  return { button, stop, isPlaying: () => playing !== null };
}

/** What is to be seen in a shot, with its place in the film and its numbers. */
function createCaption() {
  const says = el("p", { class: "film-says" });
  /** @type {Node | null} */
  let told = null;

  return {
    says,
    /**
     * @param {{says: string, line?: Element}} shot  in a state of one's own: the step
     * @param {string} place
     * @param {boolean} isPlaying
     */
    tell({ says: text, line }, place, isPlaying) {
      says.setAttribute("aria-live", isPlaying ? "polite" : "off"); // moved by hand, the slider says it
      const numbers = /** @type {Element | undefined} */ (line?.cloneNode(true));
      const next = el("p", { class: "film-says" }, el("span", { class: "film-at" }, place), ...maths(text));
      if (numbers) next.append(" ", numbers);
      if (next.isEqualNode(told)) return;
      told = next.cloneNode(true);
      fill(says, ...next.childNodes);
      if (numbers && says.scrollWidth > says.clientWidth) numbers.remove(); // they stand in the calculation too
    },
  };
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
