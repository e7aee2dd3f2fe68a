/** Both images as the model sees them, with a veil over the patches that are the same in both. */

import { el, fill, say, svg } from "../../base/dom.js";
import { sentences, t } from "../../base/i18n.js";
import { drawnView } from "../../base/mount.js";

/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {import("../../api/types.js").Picture} Picture */

/**
 * @typedef {object} ImagesData
 * @property {Picture[]} images  the clean one and, once it is chosen, the corrupt one
 * @property {Token[]} tokens
 * @property {number[]} differing  indices of the tokens whose patches differ
 * @property {string} [plan]  what will be computed
 */

/**
 * @param {HTMLElement} element
 * @param {ImagesData} data
 * @returns {import("../../base/mount.js").View<ImagesData>}
 */
export function imagesView(element, data) {
  const row = el("div", { class: "patching-images" });
  const words = el("p", { class: "note patching-verdict", role: "status" });
  fill(element, row, words);
  return drawnView(element, data, (next) => {
    const { images, tokens, differing, plan = "" } = next;
    const names = [t("clean"), t("corrupt")];
    const same = images.length < 2 ? [] : tokens.filter((token) => !differing.includes(token.index));
    fill(row, ...images.map((image, index) => figure(image, names[index], same)));
    say(words, sentences([verdict(next), plan]));
    words.classList.toggle("is-wrong", images.length > 1 && differing.length === 0);
  });
}

/**
 * @param {Picture} picture
 * @param {string} name
 * @param {Token[]} veiled
 */
function figure(picture, name, veiled) {
  const drawn = svg(
    "svg",
    { viewBox: `0 0 ${picture.width} ${picture.height}`, role: "img", "aria-label": name },
    imageOf(picture),
    svg("path", { class: "patching-veil", d: veiled.map(outline).join("") }),
  );
  return el("figure", {}, drawn, el("figcaption", {}, name));
}

/** @param {Picture} picture */
export function imageOf({ png, width, height }) {
  return svg("image", { href: `data:image/png;base64,${png}`, width, height });
}

/**
 * The edges of a patch as a path; "" of a token that is none.
 * @param {Token} token
 */
export function outline({ box }) {
  return box ? `M${box[0]} ${box[1]}h${box[2]}v${box[3]}h${-box[2]}z` : "";
}

/**
 * Whether the images can be patched, in words.
 * @param {ImagesData} data
 */
export function verdict({ images, tokens, differing }) {
  const count = tokens.filter((token) => token.box).length;
  if (images.length < 2) return t("{count} patches in the clean image; choose the corrupt one.", { count });
  if (differing.length === 0) return t("Both images are the same: choose another corrupt image.");
  if (differing.length === count) return t("{count} patches in each image; all of them differ.", { count });
  return t("{count} patches in each image; {differing} differ, the others are veiled.", {
    count,
    differing: differing.length,
  });
}
