/** Choose the output that is taken apart, and the threshold of the graph. */

import { el, fill, smallButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { drawnView } from "../../base/mount.js";
import { apartName } from "../../wording/token_apart.js";

/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} ControlsData
 * @property {readonly Token[]} tokens
 * @property {number} position  of the output
 * @property {number | null} query  the chosen token, which may become the output
 * @property {number} threshold
 * @property {number} floor  below which the graph is not complete
 * @property {string} count  how many nodes and edges there are
 * @property {0 | 1} numbering
 */

/**
 * @typedef {object} ControlsOptions
 * @property {(position: number) => void} [onOutput]  without which it cannot be chosen
 * @property {(threshold: number) => void} onThreshold
 */

export const THRESHOLDS = { least: 0.002, most: 0.5 };
const STEPS = 100;

/** On a logarithmic slider. @param {number} threshold */
export function stepOf(threshold) {
  const { least, most } = THRESHOLDS;
  return Math.round((STEPS * Math.log(threshold / least)) / Math.log(most / least));
}

/** To two digits. @param {number} step */
export function thresholdOf(step) {
  const { least, most } = THRESHOLDS;
  return Number((least * (most / least) ** (step / STEPS)).toPrecision(2));
}

/**
 * @param {HTMLElement} element
 * @param {ControlsData} data
 * @param {ControlsOptions} options
 * @returns {import("../../base/mount.js").View<ControlsData>}
 */
export function controlsView(element, data, { onOutput, onThreshold }) {
  let current = data;
  const name = el("span", { class: "flow-output-name" });
  const number = el("input", { type: "number", id: "flow-output", class: "flow-number", step: 1 });
  number.addEventListener("change", () => {
    const position = Number(number.value) - current.numbering;
    if (Number.isInteger(position) && position >= 0 && position < current.tokens.length) onOutput?.(position);
    else number.value = String(current.position + current.numbering);
  });
  const own = smallButton(t("Use the query token"), () => current.query !== null && onOutput?.(current.query));
  const label = el("label", { for: onOutput ? "flow-output" : null }, t("Output at token"));
  const slider = el("input", { type: "range", id: "flow-threshold", min: 0, max: STEPS, step: 1 });
  slider.addEventListener("input", () => onThreshold(thresholdOf(Number(slider.value))));
  const exact = el("input", {
    type: "number",
    class: "flow-number",
    step: "any",
    min: THRESHOLDS.least,
    max: 1,
    "aria-label": t("Threshold"),
  });
  exact.addEventListener("change", () => {
    const wanted = Number(exact.value);
    if (wanted >= THRESHOLDS.least && wanted <= 1) onThreshold(wanted);
    else exact.value = String(current.threshold);
  });
  const count = el("span", { class: "note flow-count", role: "status" });
  const output = el("div", { class: "flow-control" }, label, onOutput && number, name, onOutput && own);
  const threshold = el(
    "div",
    { class: "flow-control" },
    el("label", { for: "flow-threshold" }, t("Threshold")),
    slider,
    exact,
    count,
  );
  fill(element, output, threshold);

  return drawnView(element, data, (next) => {
    current = next;
    const { tokens, position, numbering } = next;
    number.min = String(numbering);
    number.max = String(tokens.length - 1 + numbering);
    number.value = String(position + numbering);
    fill(name, apartName(tokens, tokens[position], numbering));
    own.disabled = next.query === null || next.query === position;
    slider.value = String(stepOf(next.threshold));
    slider.setAttribute("aria-valuetext", String(next.threshold));
    exact.value = String(next.threshold);
    count.textContent = next.count;
  });
}
