/** Positions as vectors: the map of all, which are alike, the step as a matrix, and beside them what a model learned. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { linesMark } from "../../charts/lines.js";
import { mapMark } from "../../charts/map.js";
import { matrixMark } from "../../charts/matrix.js";
import { chosenIn, columnsOf } from "./state.js";
import { mount } from "../../base/mount.js";

/** @typedef {{state: Readonly<import("./state.js").SinusoidalState>, answer: any}} SinusoidalData */
/** @typedef {{row: number, column: number}} At */

/**
 * @typedef {object} Told
 * @property {(at: At, pairs: number) => void} onDimension  a position and a dimension were chosen
 * @property {(at: At) => void} onPositions  two positions were chosen
 */

/**
 * @param {HTMLElement} element
 * @param {SinusoidalData} data
 * @param {Told} options
 * @returns {import("../../api/types.js").View<SinusoidalData>}
 */
export function sinusoidalView(element, data, options) {
  let built = "";
  /** @type {(data: SinusoidalData) => void} */
  let draw = () => undefined;

  /** @param {SinusoidalData} next */
  function update(next) {
    if (next.state.view !== built) {
      built = next.state.view;
      draw = builders[next.state.view](element, options);
    }
    draw(next);
  }

  update(data);
  return { update, destroy: () => element.replaceChildren() };
}

/**
 * @type {Record<import("./state.js").SinusoidalState["view"],
 *   (element: HTMLElement, told: Told) => (data: SinusoidalData) => void>}
 */
const builders = {
  map(element, { onDimension }) {
    const [box] = boxes(element, [t("The vectors")]);
    let pairs = 1;
    const mark = mount(box, mapMark, { onPick: (at) => onDimension(at, pairs) });
    return ({ state, answer }) => {
      const { position, pair } = chosenIn(state, answer);
      pairs = answer.frequencies.length;
      mark({
        title: t("The vectors of all positions"),
        values: answer.encoding,
        rowName: t("position"),
        columnName: t("dimension"),
        axes: t("position ↓ dimension →"),
        most: 1,
        chosen: { row: position, column: columnsOf(state, pair, pairs)[0] },
      });
    };
  },
  similarity(element, { onPositions }) {
    const [box] = boxes(element, [t("Sines and cosines")]);
    const mark = mount(box, mapMark, { onPick: onPositions });
    return ({ state, answer }) =>
      mark(alike(t("Similarity of sinusoidal positions"), answer.cosine_similarity, chosenIn(state, answer)));
  },
  step(element) {
    const [matrix, vectors] = boxes(element, [t("The matrix of the step"), t("The vectors")]);
    const marks = [matrix, vectors].map((box) => mount(box, matrixMark, {}));
    return ({ state, answer }) => {
      const { pair } = chosenIn(state, answer);
      const [sine] = columnsOf(state, pair, answer.frequencies.length);
      const taken = answer.step;
      marks[0]({
        title: t("The matrix of the step"),
        values: taken.matrix,
        scale: "signed",
        most: 1,
        digits: 3,
        axes: t("dimension after ↓ before →"),
        chosen: { row: sine, column: -1 },
      });
      const [from, to] = [state.position, state.position + state.by].map((one) => String(one).replace("-", "−"));
      marks[1]({
        title: t("The vectors"),
        values: [answer.encoding[0], taken.by_matrix[0], taken.shifted[0]],
        rows: [`PE(${from})`, `M·PE(${from})`, `PE(${to})`],
        scale: "signed",
        most: 1,
        digits: 3,
        axes: t("vector ↓ dimension →"),
        chosen: { row: -1, column: sine },
      });
    };
  },
  learned(element, { onPositions }) {
    const marks = boxes(element, [t("Learned"), t("Sines and cosines")]).map((box) =>
      mount(box, mapMark, { onPick: onPositions }),
    );
    return ({ state, answer }) => {
      const chosen = chosenIn(state, { ...answer, positions: answer.table.positions });
      marks[0](alike(t("Similarity of learned positions"), answer.table.cosine_similarity, chosen));
      marks[1](alike(t("Similarity of sinusoidal positions"), answer.cosine_similarity, chosen));
    };
  },
};

/**
 * @param {string} title
 * @param {number[][]} values
 * @param {{position: number, other: number}} chosen
 */
function alike(title, values, { position, other }) {
  return {
    title,
    values,
    rowName: t("position"),
    columnName: t("position"),
    axes: t("position ↓ position →"),
    most: 1,
    chosen: { row: position, column: other },
  };
}

/**
 * @param {HTMLElement} element
 * @param {string[]} titles
 */
function boxes(element, titles) {
  const found = titles.map((title) => {
    const box = el("div", { class: "sine-box" });
    return { box, all: el("div", {}, el("h3", {}, title), box) };
  });
  fill(element, ...found.map((one) => one.all));
  return found.map((one) => one.box);
}

/**
 * One pair's waves, or how alike the chosen position is to all others.
 * @param {HTMLElement} element
 * @param {SinusoidalData} data
 * @returns {import("../../api/types.js").View<SinusoidalData>}
 */
export function sinusoidalCurveView(element, data) {
  const mark = mount(element, linesMark, {});
  /** @param {SinusoidalData} next */
  function update({ state, answer }) {
    const { position, other, pair } = chosenIn(state, answer);
    const points = (/** @type {number[]} */ values) =>
      values.map((one, at) => /** @type {[number, number]} */ ([answer.positions[at], one]));
    const shared = { y: { least: -1, most: 1, ticks: [-1, -0.5, 0, 0.5, 1] }, height: 200 };
    if (state.view === "map") {
      const [sine, cosine] = columnsOf(state, pair, answer.frequencies.length);
      const column = (/** @type {number} */ at) =>
        points(answer.encoding.map((/** @type {number[]} */ row) => row[at]));
      mark({
        ...shared,
        title: t("Pair {pair} over all positions", { pair }),
        series: [
          { name: t("sine, dimension {column}", { column: sine }), points: column(sine) },
          { name: t("cosine, dimension {column}", { column: cosine }), points: column(cosine) },
        ],
        x: { name: t("position") },
        verticals: [{ x: position, name: String(position) }],
      });
    } else if (state.view === "step") {
      mark(null);
    } else {
      const series = [{ name: t("sines and cosines"), points: points(answer.cosine_similarity[position]) }];
      if (answer.table) {
        const row = answer.table.cosine_similarity[Math.min(position, answer.table.positions.length - 1)];
        series.push({ name: t("learned"), points: points(row) });
      }
      mark({
        ...shared,
        title: t("How alike position {position} is to every other", { position }),
        series,
        x: { name: t("position") },
        verticals: [{ x: other, name: String(other) }],
      });
    }
  }
  update(data);
  return { update, destroy: () => mark(null) };
}
