/**
 * Presented, a view is whole: where it is longer or wider than the screen, type recedes, as far as it can still be read
 * from the last row. What would have to recede further scrolls, in large type.
 */

import { perFrame } from "../base/once_per_frame.js";
import { isPresenting } from "./present.js";

/** The smallest share of the size of type. */
const LEAST = 0.6;
/** Wide enough for a picture of its own size; as in `presenting.css`. */
const WIDE = "(min-width: 48em) and (min-aspect-ratio: 4 / 3)";

/**
 * The share of the size of type at which a view fits.
 * @param {number} share  at which it was measured
 * @param {number} excess  how many times the screen it takes there
 * @returns {number}  1 where no share would do
 */
export function fittingShare(share, excess) {
  if (excess <= 1.002) return share;
  const wanted = (share / excess) * 0.995;
  return wanted < LEAST ? 1 : wanted;
}

/**
 * @param {HTMLElement} box  what is presented; its least height is the screen's
 * @param {() => string} look  what is shown; of another, type begins at its full size
 * @param {string} [scrollers]  what in it scrolls sideways where it is too wide
 * @returns {() => void}  to be called when that, or the mode, has changed
 */
export function bindTypeFit(box, look, scrollers = "") {
  let fitted = "";
  let share = 1;
  let isHopeless = false;
  const refit = perFrame(fit);
  new ResizeObserver(refit).observe(box);
  addEventListener("resize", refit);
  return refit;

  function fit() {
    const isOn = isPresenting() && matchMedia(WIDE).matches;
    const now = isOn ? `${innerWidth} ${innerHeight} ${look()}` : "";
    if (now !== fitted) set(1, false);
    fitted = now;
    if (!isOn || isHopeless) return;
    const next = fittingShare(share, excessOf(box, scrollers));
    if (next !== share) set(next, next === 1);
  }

  /**
   * @param {number} next
   * @param {boolean} isLast
   */
  function set(next, isLast) {
    share = next;
    isHopeless = isLast;
    const { style } = document.documentElement;
    if (share === 1) style.removeProperty("--type-fit");
    else style.setProperty("--type-fit", share.toFixed(3));
  }
}

/**
 * How many times the screen a view takes, down or across.
 * @param {HTMLElement} box
 * @param {string} scrollers
 */
function excessOf(box, scrollers) {
  const place = box.getBoundingClientRect();
  const least = Number.parseFloat(getComputedStyle(box).minHeight) || place.height;
  const across = [...(scrollers ? box.querySelectorAll(scrollers) : [])].map(({ scrollWidth, clientWidth }) =>
    clientWidth > 0 ? scrollWidth / clientWidth : 1,
  );
  return Math.max(place.height / least, ...across);
}
