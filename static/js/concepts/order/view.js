/** Order: words in two orders with their outputs as colours, and the weights of both. */

import { cssColor, mix } from "../../base/theme/color.js";
import { barsMark } from "../../charts/bars.js";
import { chartView, drawnView, queriesByKeys } from "../frame/views.js";
import { moved, placeOf, readOutcome, wordsOf } from "./state.js";
import { el, fill, svg } from "../../base/dom.js";
import { nonNull } from "../../base/non_null.js";
import { t } from "../../base/i18n.js";
import { matrixMark } from "../../charts/matrix.js";
import { small } from "../../base/numbers.js";
import { scaleStops } from "../../base/theme/theme.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("./state.js").OrderAnswer} OrderAnswer */
/** @typedef {import("./state.js").OrderData} OrderData */
/** @typedef {import("../frame/concept.js").ConceptView<OrderData>} View */

/** @typedef {import("../frame/concept.js").Tools<import("./state.js").OrderState>} Tools */

/** Numbers that differ by no more are the same but for rounding. */
export const SEEN = 1e-6;
const CELL = 11;
const ACROSS = 4;
const SIDE = ACROSS * CELL;
const PER_SIGN = 8;
const TOP = 24;
const GAP = 64;
const SECOND = TOP + SIDE + GAP;
const HEIGHT = TOP + 2 * SIDE + GAP + 24;

/** @param {OrderData} data */
export function outcomeOf({ state, answer }) {
  return readOutcome(nonNull(answer.outcomes.find((outcome) => outcome.way === state.way)));
}

/** @type {View} */
export const orderView = drawnView((element, tools) => {
  const picture = svg("svg", { class: "mark order-mark", role: "img" });
  fill(element, picture);
  let wide = SIDE;
  bindDragging(picture, () => wide, tools);

  return (data) => {
    const { state, answer } = data;
    const words = nonNull(answer.words);
    const outcome = outcomeOf(data);
    wide = Math.max(SIDE + 20, 16 + PER_SIGN * Math.max(...words.map(lengthOf)));
    picture.setAttribute("viewBox", `0 0 ${words.length * wide} ${HEIGHT}`);
    picture.setAttribute("width", String(words.length * wide * 1.4));
    picture.setAttribute("aria-label", described(data));
    const draw = { wide, paint: painter(outcome), chosen: state.word };
    const placeNow = (/** @type {number} */ word) => answer.permutation.indexOf(word);
    fill(
      picture,
      ...words.map((_, word) => {
        const now = outcome.permuted_outputs[placeNow(word)];
        const change = Math.max(...outcome.outputs[word].map((value, axis) => Math.abs(value - now[axis])));
        return wayOf(draw, word, placeNow(word), change <= SEEN);
      }),
      ...words.map((word, index) => wordOf(draw, { word, index, row: 0, place: index }, outcome.outputs[index])),
      ...answer.permutation.map((index, place) =>
        wordOf(draw, { word: words[index], index, row: 1, place }, outcome.permuted_outputs[place]),
      ),
    );
  };
});

/**
 * A word is chosen by pressing it; in the lower row it follows the pointer.
 * @param {SVGSVGElement} picture
 * @param {() => number} wide  of a word's place
 * @param {Tools} tools
 */
function bindDragging(picture, wide, { set, latest }) {
  /** @type {number | null} */
  let held = null;
  picture.addEventListener("pointerdown", (event) => {
    const group = event.target instanceof Element ? event.target.closest("[data-word]") : null;
    if (!(group instanceof SVGElement)) return;
    set({ word: Number(group.dataset.word) }, "switch");
    if (group.dataset.row !== "1") return;
    held = event.pointerId;
    picture.setPointerCapture(held);
  });
  picture.addEventListener("pointermove", (event) => {
    if (held !== event.pointerId) return;
    const box = picture.getBoundingClientRect();
    const place = Math.floor((((event.clientX - box.left) / box.width) * picture.viewBox.baseVal.width) / wide());
    const to = Math.min(Math.max(place, 0), wordsOf(latest()).length - 1);
    if (to !== placeOf(latest())) set(moved(latest(), to), "move");
  });
  for (const kind of ["pointerup", "pointercancel"]) picture.addEventListener(kind, () => (held = null));
}

/** Colours as strong as the largest number of both orders. @param {OrderAnswer["outcomes"][number]} outcome */
function painter({ outputs, permuted_outputs: permuted }) {
  const most = Math.max(...outputs.flat().map(Math.abs), ...permuted.flat().map(Math.abs));
  const stops = scaleStops("signed");
  return (/** @type {number} */ value) => cssColor(mix(stops, 0.5 + value / (2 * most)));
}

/** @typedef {{wide: number, paint: (value: number) => string, chosen: number}} Draw */

/**
 * From a word's place in the first order to that in the new one.
 * @param {Draw} draw
 * @param {number} word
 * @param {number} to
 * @param {boolean} isKept
 */
function wayOf({ wide, chosen }, word, to, isKept) {
  const [x, u] = [(word + 0.5) * wide, (to + 0.5) * wide];
  const [y, v] = [TOP + SIDE + 3, SECOND - 3];
  const half = (y + v) / 2;
  return svg(
    "g",
    { class: `order-way ${isKept ? "is-kept" : "is-changed"}${word === chosen ? " is-chosen" : ""}` },
    svg("path", { d: `M${x} ${y}C${x} ${half} ${u} ${half} ${u} ${v}` }),
    svg(
      "text",
      { x: u + (u > x ? -7 : 7), y: v - 5, class: u > x ? "is-end" : "", "data-step": 4 },
      isKept ? "=" : "≠",
    ),
  );
}

/**
 * @param {Draw} draw
 * @param {{word: string, index: number, row: 0 | 1, place: number}} at
 * @param {number[]} values
 */
function wordOf({ wide, paint, chosen }, { word, index, row, place }, values) {
  const x = (place + 0.5) * wide;
  const y = row === 0 ? TOP : SECOND;
  const [left, name] = [x - SIDE / 2, row === 0 ? TOP - 9 : SECOND + SIDE + 16];
  const ground = { x: x - wide / 2 + 2, y: row === 0 ? 0 : y - 4, width: wide - 4 };
  return svg(
    "g",
    { class: `order-word${index === chosen ? " is-chosen" : ""}`, "data-word": index, "data-row": row },
    svg("rect", { class: "order-ground", ...ground, height: SIDE + (row === 0 ? TOP + 4 : 28) }),
    svg(
      "g",
      { "data-step": 3 },
      ...values.map((value, index) =>
        svg("rect", {
          x: left + (index % ACROSS) * CELL,
          y: y + Math.floor(index / ACROSS) * CELL,
          width: CELL,
          height: CELL,
          fill: paint(value),
        }),
      ),
    ),
    svg("rect", { class: "order-frame", x: left - 1, y: y - 1, width: SIDE + 2, height: SIDE + 2 }),
    svg("text", { class: "order-name", x, y: name }, word),
  );
}

/** Letters of Japanese count twice. @param {string} text */
function lengthOf(text) {
  return [...text].reduce((sum, sign) => sum + ((sign.codePointAt(0) ?? 0) > 0x2e80 ? 1.6 : 1), 0);
}

/** @param {OrderData} data */
function described(data) {
  const { answer } = data;
  const { largest_difference: largest } = outcomeOf(data);
  return t("“{first}” and “{second}”: outputs differ from a mere permutation by at most {difference}", {
    first: nonNull(answer.words).join(" "),
    second: nonNull(answer.permuted_words).join(" "),
    difference: small(largest),
  });
}

/** @type {View} */
export const orderWeightsView = drawnView((element, { set }) => {
  /** @type {number[]} */
  let permutation = [];
  const boxes = [0, 1].map(() => el("div", { class: "order-box", "data-step": 2 }));
  fill(element, ...boxes);
  const [first, second] = boxes.map((box, index) =>
    mount(box, matrixMark, { onPick: ({ row }) => set({ word: index === 0 ? row : permutation[row] }, "switch") }),
  );

  return (data) => {
    const { state, answer } = data;
    const outcome = outcomeOf(data);
    const [words, permuted] = [nonNull(answer.words), nonNull(answer.permuted_words)];
    const shared = { ...queriesByKeys(), scale: /** @type {const} */ ("weight") };
    permutation = answer.permutation;
    first({
      ...shared,
      title: t("Weights in the first order"),
      values: outcome.weights,
      rows: words,
      columns: words,
      chosen: { row: state.word, column: -1 },
    });
    second({
      ...shared,
      title: t("Weights in the new order"),
      values: outcome.permuted_weights,
      rows: permuted,
      columns: permuted,
      chosen: { row: permutation.indexOf(state.word), column: -1 },
    });
  };
});

/** @type {View} */
export const waysView = chartView(
  barsMark,
  ({ state, answer }) => ({
    title: t("How far the outputs are from a mere permutation"),
    names: answer.outcomes.map(({ way }) => nameOf(way)),
    series: [
      {
        name: t("largest difference"),
        values: answer.outcomes.map((outcome) => outcome.largest_difference),
      },
    ],
    chosen: answer.outcomes.findIndex(({ way }) => way === state.way),
    height: 150,
  }),
  (index, { answer }) => ({ way: answer.outcomes[index].way }),
);

/** @param {string} way */
function nameOf(way) {
  const names = {
    none: t("nothing"),
    causal: t("causal"),
    sinusoidal: t("sinusoidal"),
    rope: "RoPE",
    alibi: "ALiBi",
  };
  return names[/** @type {keyof typeof names} */ (way)];
}
