/** Choose the image for a model: a sample, or a file that is chosen, dropped or pasted. */

import { el, fill, plainButton, say } from "../../base/dom.js";
import { drawnView } from "../../base/mount.js";
import { sentences, t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { SAMPLES } from "../data/images.js";
import { sampleCanvas } from "../data/sample_images.js";
import { IMAGE_TYPES, MEGA, largestFile } from "./image_limits.js";

/**
 * @typedef {object} ImageInputData
 * @property {string} picture  as in the URL
 * @property {boolean} isBusy
 * @property {string} problem
 * @property {string} [barred]  a sample that cannot be chosen
 */

const THUMBNAIL = 56;

/**
 * @param {HTMLElement} element
 * @param {ImageInputData} data
 * @param {object} options
 * @param {Record<string, number>} options.limits
 * @param {string} [options.id]  how the ids of its elements begin
 * @param {boolean} [options.isDropTarget]  whether an image that is dropped on the page, or pasted, comes here
 * @param {(file: File) => void} options.onGive
 * @param {(name: string) => void} options.onSample
 * @param {() => void} options.onCancel
 * @returns {import("../../base/mount.js").View<ImageInputData>}
 */
export function imageInputView(element, data, options) {
  const { limits, id = "image", isDropTarget = true, onGive, onSample, onCancel } = options;
  const pixels = fixed(limits.max_image_pixels / MEGA, 1);
  const bytes = fixed(largestFile(limits) / MEGA, 1);
  const input = el("input", {
    type: "file",
    id: `${id}-file`,
    accept: IMAGE_TYPES.join(),
    "aria-describedby": `${id}-hint ${id}-error`,
  });
  const hint = sentences([
    t("PNG, JPEG or WebP, up to {bytes} MB and {pixels} million pixels.", { bytes, pixels }),
    isDropTarget && t("You can also drop or paste one."),
  ]);
  const link = el("p", { class: "note" });
  const problem = el("p", { id: `${id}-error`, class: "field-error", role: "alert", hidden: true });
  const cancel = plainButton(t("Cancel"), onCancel);
  const samples = SAMPLES.map((name) => ({ name, button: sampleButton(name, () => onSample(name)) }));
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    input.value = ""; // so that the same file can be chosen again
    if (file) onGive(file);
  });
  fill(
    element,
    el(
      "div",
      { class: "image-samples", role: "group", "aria-label": t("Sample images") },
      ...samples.map(({ button }) => button),
    ),
    el(
      "div",
      { class: "image-own" },
      el("label", { for: `${id}-file` }, t("Your own image")),
      el("div", { class: "image-line" }, input, cancel),
      el("p", { id: `${id}-hint`, class: "note" }, hint),
      link,
      problem,
    ),
  );

  /** @param {ImageInputData} next */
  function draw({ picture, isBusy, problem: message, barred = "" }) {
    for (const { name, button } of samples) {
      button.setAttribute("aria-pressed", String(name === picture));
      button.disabled = name === barred;
    }
    link.textContent =
      picture === "" || SAMPLES.includes(picture)
        ? ""
        : t("A link to this page cannot hold your image: it works for as long as the server keeps the analysis.");
    link.hidden = link.textContent === "";
    cancel.hidden = !isBusy;
    problem.hidden = message === "";
    say(problem, message);
  }

  return drawnView(element, data, draw);
}

/**
 * @param {string} name
 * @param {() => void} onclick
 */
function sampleButton(name, onclick) {
  const picture = sampleCanvas(name, THUMBNAIL);
  picture.setAttribute("aria-hidden", "true");
  return el("button", { type: "button", class: "image-sample", onclick }, picture, el("span", {}, sampleName(name)));
}

/** @param {string} name */
function sampleName(name) {
  /** @type {Record<string, string>} */
  const names = { shapes: t("Plain shapes"), face: t("A face"), night: t("A night sky"), checks: t("Checks") };
  return names[name];
}
