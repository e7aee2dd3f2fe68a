/** Keeps type legible in a picture that is scaled to its place: style sheets read how many of its units are a pixel. */

/**
 * Sets `--pixel` on a picture: its user units in a pixel of the page, at any width of its place.
 * @template {SVGSVGElement} S
 * @param {S} picture
 * @returns {S}
 */
export function legibleType(picture) {
  new ResizeObserver(([{ contentRect }]) => {
    const { width } = picture.viewBox.baseVal;
    if (contentRect.width > 0) picture.style.setProperty("--pixel", (width / contentRect.width).toFixed(4));
  }).observe(picture);
  return picture;
}
