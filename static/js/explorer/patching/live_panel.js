/** The panel of patching where there is a server: it lets a corrupt image be chosen. */

import { createCorruptImage } from "./corrupt_image.js";
import { patchingPanel } from "./panel.js";

/**
 * @param {HTMLElement} element
 * @param {import("../widgets/panel.js").Bench & {images: import("../data/images.js").GivenImages}} bench
 * @returns {import("../widgets/panel.js").Panel}
 */
export function livePatchingPanel(element, bench) {
  return patchingPanel(element, bench, createCorruptImage(bench, bench.images));
}
