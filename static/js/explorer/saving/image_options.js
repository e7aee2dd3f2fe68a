/** How an image of a view is exported: its title, its width and its ground. Kept for the visit, not in the link. */

import { el, fill } from "../../base/dom.js";
import { drawnView } from "../../base/mount.js";
import { t } from "../../base/i18n.js";

/** @typedef {"page" | "white" | "transparent"} Ground */

/**
 * @typedef {object} ImageOptions
 * @property {string} title  "" for the view's own
 * @property {number} width  of a PNG in pixels; 0 for two pixels to each of the page
 * @property {Ground} ground
 */

/** @type {Readonly<ImageOptions>} */
export const DEFAULT_OPTIONS = Object.freeze({ title: "", width: 0, ground: "page" });
const WIDTHS = [1280, 1920, 3840];

/**
 * The ground of an image; null where it has none.
 * @param {Ground} ground
 * @param {string} page  its colour
 * @returns {string | null}
 */
export function groundColor(ground, page) {
  return { transparent: null, white: "white", page }[ground];
}

/**
 * @param {HTMLElement} element
 * @param {ImageOptions} data
 * @param {{onChange: (options: ImageOptions) => void}} options
 * @returns {import("../../base/mount.js").View<ImageOptions>}
 */
export function imageOptionsView(element, data, { onChange }) {
  const title = el("input", {
    type: "text",
    id: "image-title",
    maxlength: 200,
    placeholder: t("the view's own"),
    oninput: tell,
  });
  const width = el(
    "select",
    { id: "image-width", onchange: tell },
    el("option", { value: "0" }, t("as on screen, twice as fine")),
    ...WIDTHS.map((pixels) => el("option", { value: String(pixels) }, t("{width} pixels", { width: pixels }))),
  );
  const ground = el(
    "select",
    { id: "image-ground", onchange: tell },
    el("option", { value: "page" }, t("as on the page")),
    el("option", { value: "white" }, t("white, in the light theme's colours")),
    el("option", { value: "transparent" }, t("transparent")),
  );
  const line = (/** @type {string} */ name, /** @type {HTMLElement} */ control) =>
    el("label", { class: "image-option" }, el("span", {}, name), control);
  fill(element, line(t("Image title"), title), line(t("PNG width"), width), line(t("Background"), ground));

  function tell() {
    onChange({ title: title.value.trim(), width: Number(width.value), ground: /** @type {Ground} */ (ground.value) });
  }

  /** @param {ImageOptions} next */
  function draw(next) {
    if (title.value.trim() !== next.title) title.value = next.title;
    width.value = String(next.width);
    ground.value = next.ground;
  }

  return drawnView(element, data, draw);
}
