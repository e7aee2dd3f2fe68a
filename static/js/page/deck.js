/** What a presentation walks through: figures and their steps, or the slides of a talk. */

/** Presenters' remote controls send PageUp and PageDown. */
const BY = /** @type {Record<string, 1 | -1>} */ ({ ArrowLeft: -1, PageUp: -1, ArrowRight: 1, PageDown: 1 });

/** @typedef {{figure: number | null, step: number}} Place  `null` leaves the figure as it is; steps count from 1 */

/**
 * @typedef {object} Standing  where one is
 * @property {{name: string, notice: string}[]} figures
 * @property {number} figure  −1 for one's own
 * @property {number} steps
 * @property {number} step  0 before the first, while the whole picture stands there
 * @property {boolean} [isTalk]  whether the figures are the slides of a talk, which begins with the first of them
 */

/**
 * @typedef {object} Deck  what is walked through
 * @property {() => Standing} now
 * @property {(place: Place) => void} go
 * @property {() => (() => void) | null} [notes]  what opens the speaker's notes; null where there are none
 */

/**
 * The step before or after; behind the last step stands the next figure, unless what is shown is one's own.
 * @param {Standing} standing
 * @param {1 | -1} by
 * @returns {Place | null}  null at the end
 */
export function neighbour(standing, by) {
  const step = standing.step + by;
  if (step >= 1 && step <= standing.steps) return { figure: null, step };
  const isAside = standing.figure < 0 && !(standing.isTalk && by > 0);
  return isAside ? null : nextFigure(standing, by, by > 0 ? 1 : standing.steps);
}

/**
 * Another figure, from one's own the first.
 * @param {Standing} standing
 * @param {1 | -1} by
 * @param {number} [step]
 * @returns {Place | null}
 */
export function nextFigure({ figures, figure }, by, step = 1) {
  const next = figure < 0 ? 0 : figure + by;
  return next < 0 || next >= figures.length ? null : { figure: next, step };
}

/**
 * The first or the last slide of a talk.
 * @param {Standing} standing
 * @param {string} key
 * @returns {Place | null}
 */
export function endOf({ figures, isTalk }, key) {
  if (!isTalk || (key !== "Home" && key !== "End")) return null;
  return { figure: key === "Home" ? 0 : figures.length - 1, step: 1 };
}

/**
 * What a key does; null: nothing, so that it is the page's, and in a frame the deck's around it.
 * @param {Pick<KeyboardEvent, "key" | "shiftKey">} pressed
 * @param {Pick<Deck, "now" | "notes">} deck
 * @param {{isPresenting: boolean, isTyping: unknown, isInside: boolean, hasLetters: boolean | undefined}} where
 *   `isInside`: in a frame, where Escape and what lies behind the last step are the deck's around it; `hasLetters`:
 *   letters do something
 * @returns {"enter" | "leave" | "point" | "notes" | "stay" | Place | null}  `stay`: it was ours, and leads nowhere
 */
export function keyAct({ key, shiftKey }, { now, notes }, { isPresenting, isTyping, isInside, hasLetters }) {
  if (!isPresenting) return key === "p" && hasLetters && !isTyping ? "enter" : null;
  if (key === "Escape") return isInside ? null : "leave";
  if (isTyping) return null;
  const by = BY[key];
  if (by) return (shiftKey ? nextFigure : neighbour)(now(), by) ?? (isInside ? null : "stay");
  if (hasLetters && !isInside && key === "p") return "point";
  if (hasLetters && !isInside && key === "s" && notes?.()) return "notes";
  return endOf(now(), key);
}
