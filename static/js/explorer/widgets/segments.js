/** Buttons for the parts of a map of two texts: which text attends to which. */

import { el, fill, smallButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { drawnView } from "../../base/mount.js";

/** @typedef {import("../state/segments.js").SegmentChoice} SegmentChoice */
/** @typedef {{choices: SegmentChoice[], rows: string, cols: string}} SegmentsData  rows and columns in view */

/**
 * @param {HTMLElement} element
 * @param {SegmentsData} data
 * @param {{onPick: (window: {rows: string, cols: string}) => void}} options
 * @returns {import("../../base/mount.js").View<SegmentsData>}
 */
export function segmentsView(element, data, { onPick }) {
  const group = el("div", { class: "segments", role: "group", "aria-label": t("Which text attends to which") });
  fill(element, group);
  /** @type {SegmentChoice[] | null} */
  let made = null;

  /** @param {SegmentsData} next */
  function draw({ choices, rows, cols }) {
    if (choices !== made) {
      made = choices;
      const buttons = choices.map(({ name, ...window }) => smallButton(name, () => onPick(window)));
      fill(group, el("span", { class: "note" }, t("Texts")), ...buttons);
    }
    group.querySelectorAll("button").forEach((button, index) => {
      const isPressed = choices[index].rows === rows && choices[index].cols === cols;
      button.setAttribute("aria-pressed", String(isPressed));
    });
  }

  return drawnView(element, data, draw);
}
