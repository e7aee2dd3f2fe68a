/** The weights as bars: a row of bars for each query, a bar for each key. */

import { legibleType } from "../../charts/legible_type.js";
import { drawnView } from "../frame/views.js";
import { fill, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { symbol } from "./view.js";

/** @typedef {import("../frame/concept.js").ConceptView<import("./numbers.js").CircleData>} View */

const WIDTH = 440;
const LEFT = 34;
const TOP = 18;
const TALL = 132;
const LOW = 62;
const GAP = 34;

/** @typedef {{bars: SVGRectElement[][], values: SVGTextElement[][], top: number[], height: number}} Bars */

/** @type {View} */
export const barsView = drawnView((element, { set }) => {
  const picture = svg("svg", { class: "bars", role: "img" });
  fill(element, legibleType(picture));
  /** @type {Bars | null} */
  let drawn = null;
  let shape = "";
  const pick = (/** @type {number} */ query, /** @type {number} */ key) => set({ query, key }, "switch");

  return ({ state: { query, key }, numbers: { weights } }) => {
    const wanted = `${weights.length} ${weights[0].length}`;
    if (wanted !== shape || !drawn) drawn = build(picture, weights.length, weights[0].length, pick);
    shape = wanted;
    const { bars, values, top, height } = drawn;
    const most = Math.max(...weights.flat());
    const full = most > 0.5 ? 1 : most > 0.25 ? 0.5 : 0.25;
    weights.forEach((row, index) =>
      row.forEach((weight, keyIndex) => {
        const tall = (weight / full) * height;
        const isChosen = index === query && keyIndex === key;
        bars[index][keyIndex].setAttribute("y", String(top[index] + height - tall));
        bars[index][keyIndex].setAttribute("height", String(tall));
        bars[index][keyIndex].setAttribute(
          "class",
          `bar${index === query ? " is-row" : ""}${isChosen ? " is-chosen" : ""}`,
        );
        values[index][keyIndex].setAttribute("y", String(top[index] + height - tall - 4));
        values[index][keyIndex].setAttribute("class", `bar-value${isChosen ? " is-chosen" : ""}`);
        values[index][keyIndex].textContent = weight < 0.0005 ? "0" : fixed(weight, 3).replace(/^0/, "");
      }),
    );
    picture.setAttribute("aria-label", t("Weights of query {query} as bars, one for each key", { query }));
  };
});

/**
 * @param {SVGSVGElement} picture
 * @param {number} queries
 * @param {number} keys
 * @param {(query: number, key: number) => void} onPick
 * @returns {Bars}
 */
function build(picture, queries, keys, onPick) {
  const height = queries === 1 ? TALL : LOW;
  const top = Array.from({ length: queries }, (_, index) => TOP + index * (height + GAP));
  const step = (WIDTH - LEFT) / keys;
  const wide = Math.min(step * 0.72, 40);
  const places = Array.from({ length: keys }, (_, key) => LEFT + (key + 0.5) * step);
  const isCrowded = keys > 12;
  const pick = (/** @type {number} */ index, /** @type {number} */ key) => () => onPick(index, key);
  const bars = top.map((_, index) =>
    places.map((x, key) => svg("rect", { x: x - wide / 2, width: wide, onclick: pick(index, key) })),
  );
  const values = top.map(() => places.map((x) => svg("text", { x })));
  const names = top.flatMap((y) =>
    places.map((x, key) =>
      svg("text", { x, y: y + height + 14, class: "bar-key" }, isCrowded ? String(key) : symbol("k", key)),
    ),
  );
  const grounds = top.map((y) => svg("line", { x1: LEFT, x2: WIDTH, y1: y + height, y2: y + height }));
  const rows = top.map((y, index) => svg("text", { x: 2, y: y + height, class: "bar-query" }, symbol("q", index)));
  picture.setAttribute("viewBox", `0 0 ${WIDTH} ${TOP + queries * (height + GAP) - GAP + 20}`);
  picture.classList.toggle("is-crowded", isCrowded);
  fill(picture, ...grounds, ...rows, ...bars.flat(), ...values.flat(), ...names);
  return { bars, values, top, height };
}
