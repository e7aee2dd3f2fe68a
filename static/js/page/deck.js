/** What a presentation walks through: figures and their steps, or the slides of a talk. */

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
