/** Order: words in two orders with their outputs as colours, and the weights of both. */

import { cssColor, mix } from "../../base/color.js";
import { el, fill, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { matrixMark } from "../../charts/matrix.js";
import { small } from "../../base/numbers.js";
import { scaleStops } from "../../base/theme.js";
import { mount } from "../../base/mount.js";

/**
 * @typedef {object} Outcome  as the API answers
 * @property {string} way
 * @property {number[][]} outputs
 * @property {number[][]} permuted_outputs
 * @property {number[][]} weights
 * @property {number[][]} permuted_weights
 * @property {number} largest_difference
 *
 * @typedef {{state: Readonly<import("./state.js").OrderState>, answer: any}} OrderData
 */

/** Numbers that differ by no more are the same but for rounding. */
export const SEEN = 1e-6;
const CELL = 11;
const ACROSS = 4;
const SIDE = ACROSS * CELL;
const PER_SIGN = 8;
const TOP = 24;
const GAP = 64;
const HEIGHT = TOP + 2 * SIDE + GAP + 24;

/** @param {OrderData} data @returns {Outcome} */
export function outcomeOf({ state, answer }) {
  return answer.outcomes.find((/** @type {Outcome} */ one) => one.way === state.way);
}

/**
 * @param {HTMLElement} element
 * @param {OrderData} data
 * @param {{onPick: (word: number) => void, onMove: (place: number) => void}} options  a word was chosen, by its place in
 *   the first order; the chosen word is to go to another place of the new one
 * @returns {import("../../api/types.js").View<OrderData>}
 */
export function orderView(element, data, { onPick, onMove }) {
  const picture = svg("svg", { class: "mark order-mark", role: "img" });
  fill(element, picture);
  let shown = data;
  let wide = SIDE;
  /** @type {number | null} */
  let held = null;
  picture.addEventListener("pointerdown", (event) => {
    const group = event.target instanceof Element ? event.target.closest("[data-word]") : null;
    if (!(group instanceof SVGElement)) return;
    onPick(Number(group.dataset.word));
    if (group.dataset.row !== "1") return;
    held = event.pointerId;
    picture.setPointerCapture(held);
  });
  picture.addEventListener("pointermove", (event) => {
    if (held !== event.pointerId) return;
    const box = picture.getBoundingClientRect();
    const [, , width] = (picture.getAttribute("viewBox") ?? "").split(" ").map(Number);
    const count = shown.answer.words.length;
    const place = Math.floor((((event.clientX - box.left) / box.width) * width) / wide);
    const to = Math.min(Math.max(place, 0), count - 1);
    if (to !== shown.answer.permutation.indexOf(Math.min(shown.state.word, count - 1))) onMove(to);
  });
  for (const kind of ["pointerup", "pointercancel"]) picture.addEventListener(kind, () => (held = null));

  /** @param {OrderData} next */
  function draw(next) {
    shown = next;
    const { state, answer } = next;
    const words = /** @type {string[]} */ (answer.words);
    const outcome = outcomeOf(next);
    const chosen = Math.min(state.word, words.length - 1);
    wide = Math.max(SIDE + 20, 16 + PER_SIGN * Math.max(...words.map(lengthOf)));
    const end = Math.max(...outcome.outputs.flat().map(Math.abs), ...outcome.permuted_outputs.flat().map(Math.abs));
    const stops = scaleStops("signed");
    const paint = (/** @type {number} */ value) => cssColor(mix(stops, 0.5 + value / (2 * end)));
    const middle = (/** @type {number} */ place) => (place + 0.5) * wide;
    const differs = words.map((_, word) => {
      const now = outcome.permuted_outputs[answer.permutation.indexOf(word)];
      return Math.max(...outcome.outputs[word].map((one, at) => Math.abs(one - now[at])));
    });
    picture.setAttribute("viewBox", `0 0 ${words.length * wide} ${HEIGHT}`);
    picture.setAttribute("width", String(words.length * wide * 1.4));
    picture.setAttribute("aria-label", described(next));
    const second = TOP + SIDE + GAP;
    fill(
      picture,
      ...words.map((_, word) => {
        const [x, u] = [middle(word), middle(answer.permutation.indexOf(word))];
        const isKept = differs[word] <= SEEN;
        const kind = `order-way ${isKept ? "is-kept" : "is-changed"}${word === chosen ? " is-chosen" : ""}`;
        const [y, v] = [TOP + SIDE + 3, second - 3];
        const half = (y + v) / 2;
        return svg(
          "g",
          { class: kind },
          svg("path", { d: `M${x} ${y}C${x} ${half} ${u} ${half} ${u} ${v}` }),
          svg("text", { x: u + (u > x ? -7 : 7), y: v - 5, class: u > x ? "is-end" : "" }, isKept ? "=" : "≠"),
        );
      }),
      ...words.map((word, index) =>
        wordOf({ word, index, row: 0, x: middle(index), values: outcome.outputs[index], isChosen: index === chosen }),
      ),
      ...answer.permutation.map((/** @type {number} */ index, /** @type {number} */ place) =>
        wordOf({
          word: words[index],
          index,
          row: 1,
          x: middle(place),
          values: outcome.permuted_outputs[place],
          isChosen: index === chosen,
        }),
      ),
    );

    /**
     * @param {{word: string, index: number, row: 0 | 1, x: number, values: number[], isChosen: boolean}} one
     */
    function wordOf({ word, index, row, x, values, isChosen }) {
      const y = row === 0 ? TOP : second;
      const [left, name] = [x - SIDE / 2, row === 0 ? TOP - 9 : second + SIDE + 16];
      return svg(
        "g",
        { class: `order-word${isChosen ? " is-chosen" : ""}`, "data-word": index, "data-row": row },
        svg("rect", {
          class: "order-ground",
          x: x - wide / 2 + 2,
          y: row === 0 ? 0 : y - 4,
          width: wide - 4,
          height: SIDE + (row === 0 ? TOP + 4 : 28),
        }),
        ...values.map((value, at) =>
          svg("rect", {
            x: left + (at % ACROSS) * CELL,
            y: y + Math.floor(at / ACROSS) * CELL,
            width: CELL,
            height: CELL,
            fill: paint(value),
          }),
        ),
        svg("rect", { class: "order-frame", x: left - 1, y: y - 1, width: SIDE + 2, height: SIDE + 2 }),
        svg("text", { class: "order-name", x, y: name }, word),
      );
    }
  }

  draw(data);
  return { update: draw, destroy: () => element.replaceChildren() };
}

/** Letters of Japanese count twice. @param {string} text */
function lengthOf(text) {
  return [...text].reduce((sum, sign) => sum + ((sign.codePointAt(0) ?? 0) > 0x2e80 ? 1.6 : 1), 0);
}

/** @param {OrderData} data */
function described(data) {
  const { answer } = data;
  const { largest_difference: largest } = outcomeOf(data);
  return t("“{first}” and “{second}”: outputs differ from having only moved by {difference} at most", {
    first: answer.words.join(" "),
    second: answer.permuted_words.join(" "),
    difference: small(largest),
  });
}

/**
 * @param {HTMLElement} element
 * @param {OrderData} data
 * @param {{onPick: (word: number) => void}} options
 * @returns {import("../../api/types.js").View<OrderData>}
 */
export function orderWeightsView(element, data, { onPick }) {
  let shown = data;
  const boxes = [0, 1].map(() => el("div", { class: "order-box" }));
  fill(element, ...boxes);
  const [first, second] = boxes.map((box, at) =>
    mount(box, matrixMark, { onPick: ({ row }) => onPick(at === 0 ? row : shown.answer.permutation[row]) }),
  );

  /** @param {OrderData} next */
  function update(next) {
    shown = next;
    const { state, answer } = next;
    const outcome = outcomeOf(next);
    const word = Math.min(state.word, answer.words.length - 1);
    const shared = {
      rowRole: /** @type {const} */ ("query"),
      columnRole: /** @type {const} */ ("key"),
      scale: /** @type {const} */ ("weight"),
      axes: t("query ↓ reads from key →"),
    };
    first({
      ...shared,
      title: t("Weights in the first order"),
      values: outcome.weights,
      rows: answer.words,
      columns: answer.words,
      chosen: { row: word, column: -1 },
    });
    second({
      ...shared,
      title: t("Weights in the new order"),
      values: outcome.permuted_weights,
      rows: answer.permuted_words,
      columns: answer.permuted_words,
      chosen: { row: answer.permutation.indexOf(word), column: -1 },
    });
  }

  update(data);
  return { update, destroy: () => element.replaceChildren() };
}
