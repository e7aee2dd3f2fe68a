/** The colours of heads by one of their quantities, and the legend that explains them. */

import { cssColor, mix } from "../../../base/theme/color.js";
import { el, fill } from "../../../base/dom.js";
import { onThemeChange, scaleStops } from "../../../base/theme/theme.js";
import { t } from "../../../base/i18n.js";
import { said } from "../quantities.js";

/** @typedef {import("../quantities.js").Quantity} Quantity */

/** The scale's first colours are those of the page's ground; points begin further on. */
const FIRST = 0.14;
const SERIES = 8;
const STEPS = 24;

/**
 * @param {readonly (number | null)[]} values
 * @returns {{least: number, most: number}}
 */
export function endsOf(values) {
  const there = /** @type {number[]} */ (values.filter(Number.isFinite));
  return { least: Math.min(...there), most: Math.max(...there) };
}

/** @param {number} share  0…1 */
function colourAt(share, stops = scaleStops("weight")) {
  return cssColor(mix(stops, FIRST + (1 - FIRST) * share));
}

/**
 * @param {Quantity} quantity
 * @returns {(index: number) => string}  of a head: a colour, or the class of a series; "" without a value
 */
export function colouring({ values, isKind }) {
  if (isKind) return (index) => (values[index] === null ? "" : `series-${Number(values[index]) % SERIES}`);
  const { least, most } = endsOf(values);
  const stops = scaleStops("weight");
  return (index) => {
    const value = values[index];
    if (value === null || value === undefined) return "";
    return colourAt(most > least ? (value - least) / (most - least) : 0.5, stops);
  };
}

/** What the colours of map and grid mean. @type {import("../state.js").AtlasView} */
export const legendView = (element, data) => {
  let current = data;
  const stop = onThemeChange(draw);

  function draw() {
    const quantity = current.answer.table?.quantity(current.state.colour);
    if (quantity) drawLegend(element, quantity);
  }

  draw();
  return {
    update(next) {
      current = next;
      draw();
    },
    destroy: stop,
  };
};

/**
 * A scale with its ends, or the names of kinds.
 * @param {HTMLElement} element
 * @param {Quantity} quantity
 */
function drawLegend(element, quantity) {
  const { values, isKind, title } = quantity;
  const name = el("span", { class: "atlas-legend-name" }, t("Colour: {quantity}", { quantity: title }));
  if (isKind) {
    const kinds = [...new Set(values.filter((value) => value !== null))].sort((a, b) => a - b);
    const entries = kinds.map((kind) =>
      el(
        "span",
        { class: "atlas-kind" },
        el("span", { class: `atlas-swatch series-${kind % SERIES}`, "aria-hidden": "true" }),
        String(kind),
      ),
    );
    return fill(element, name, ...entries);
  }
  const { least, most } = endsOf(values);
  const stops = scaleStops("weight");
  const cells = Array.from({ length: STEPS }, (_, index) => {
    const cell = el("span");
    cell.style.backgroundColor = colourAt(index / (STEPS - 1), stops);
    return cell;
  });
  const scale = el("span", { class: "atlas-scale", "aria-hidden": "true" }, ...cells);
  const ends = [least, most].map((end) => el("span", {}, said(quantity, end)));
  fill(element, name, el("span", { class: "atlas-scale-line" }, ends[0], scale, ends[1]));
}
