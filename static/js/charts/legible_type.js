/** Keeps type legible in a picture that is scaled to its place: style sheets read how many of its units are a pixel. */

import { whenSized } from "../base/theme/paper.js";

/**
 * Sets `--pixel` on a picture: its user units in a pixel of the page, at any width of its place.
 * @template {SVGSVGElement} S
 * @param {S} picture
 * @returns {S}
 */
export function legibleType(picture) {
  whenSized(picture, () => {
    const { width } = picture.viewBox.baseVal;
    const { width: shown } = picture.getBoundingClientRect();
    if (shown > 0) picture.style.setProperty("--pixel", (width / shown).toFixed(4));
  });
  return picture;
}
