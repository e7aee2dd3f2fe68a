/** Positions as vectors: the map of all, which are alike, the step as a matrix, and beside them what a model learned. */

import { chartView, switchedView, titledPlaces } from "../frame/views.js";
import { nonNull } from "../../base/non_null.js";
import { t } from "../../base/i18n.js";
import { linesMark, pointsOf } from "../../charts/lines.js";
import { mapMark } from "../../charts/map.js";
import { matrixMark } from "../../charts/matrix.js";
import { chosenIn, columnsOf, pairOf } from "./state.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("./state.js").SinusoidalData} SinusoidalData */
/** @typedef {import("../frame/concept.js").ConceptView<SinusoidalData>} View */
/** @typedef {{row: number, column: number}} At */

const BOX = "sine-box";

/** @typedef {import("../frame/concept.js").Tools<import("./state.js").SinusoidalState>} Tools */

/** Two positions are chosen. @param {Tools} tools */
const picking = ({ set }) => ({
  onPick: (/** @type {At} */ cell) => set({ position: cell.row, other: cell.column }, "move"),
});

/** @type {View} */
export const sinusoidalView = switchedView({
  map(element, { set, latest }) {
    const [box] = titledPlaces(element, [t("The vectors")], BOX);
    let pairs = 1;
    const mark = mount(box, mapMark, {
      onPick: ({ row, column }) => set({ position: row, pair: pairOf(latest(), column, pairs) }, "move"),
    });
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
  similarity(element, tools) {
    const [box] = titledPlaces(element, [t("Sines and cosines")], BOX);
    const mark = mount(box, mapMark, picking(tools));
    return ({ state, answer }) =>
      mark(alike(t("Similarity of sinusoidal positions"), nonNull(answer.cosine_similarity), chosenIn(state, answer)));
  },
  step(element) {
    const [matrix, vectors] = titledPlaces(element, [t("The matrix of the step"), t("The vectors")], BOX, [2, 3]);
    const marks = [matrix, vectors].map((box) => mount(box, matrixMark, {}));
    return ({ state, answer }) => {
      const { pair } = chosenIn(state, answer);
      const [sine] = columnsOf(state, pair, answer.frequencies.length);
      const taken = nonNull(answer.step);
      marks[0]({
        title: t("The matrix of the step"),
        values: taken.matrix,
        scale: "signed",
        most: 1,
        digits: 3,
        axes: t("dimension after ↓ before →"),
        chosen: { row: sine, column: -1 },
      });
      const [from, to] = [state.position, state.position + state.by].map((position) =>
        String(position).replace("-", "−"),
      );
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
  learned(element, tools) {
    const marks = titledPlaces(element, [t("Learned"), t("Sines and cosines")], BOX).map((box) =>
      mount(box, mapMark, picking(tools)),
    );
    return ({ state, answer }) => {
      const table = nonNull(answer.table);
      const chosen = chosenIn(state, { ...answer, positions: table.positions });
      marks[0](alike(t("Similarity of learned positions"), nonNull(table.cosine_similarity), chosen));
      marks[1](alike(t("Similarity of sinusoidal positions"), nonNull(answer.cosine_similarity), chosen));
    };
  },
});

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

/** One pair's waves, or how alike the chosen position is to all others; nothing where a step is shown. @type {View} */
export const sinusoidalCurveView = chartView(linesMark, (data) => {
  const { state } = data;
  if (state.view === "step") return null;
  return { ...(state.view === "map" ? waves : likeness)(data), ...WITHIN_ONE, x: { name: t("position") } };
});

const WITHIN_ONE = { y: { least: -1, most: 1, ticks: [-1, -0.5, 0, 0.5, 1] }, height: 200 };

/** @param {SinusoidalData} data */
function waves({ state, answer }) {
  const { position, pair } = chosenIn(state, answer);
  const [sine, cosine] = columnsOf(state, pair, answer.frequencies.length);
  const column = (/** @type {number} */ dimension) =>
    pointsOf(
      answer.positions,
      answer.encoding.map((row) => row[dimension]),
    );
  return {
    title: t("Pair {pair} over all positions", { pair }),
    series: [
      { name: t("sine, dimension {column}", { column: sine }), points: column(sine) },
      { name: t("cosine, dimension {column}", { column: cosine }), points: column(cosine) },
    ],
    verticals: [{ x: position, name: String(position) }],
  };
}

/** @param {SinusoidalData} data */
function likeness({ state, answer }) {
  const { position, other } = chosenIn(state, answer);
  const series = [
    { name: t("sines and cosines"), points: pointsOf(answer.positions, nonNull(answer.cosine_similarity)[position]) },
  ];
  if (answer.table) {
    const row = nonNull(answer.table.cosine_similarity)[Math.min(position, answer.table.positions.length - 1)];
    series.push({ name: t("learned"), points: pointsOf(answer.positions, row) });
  }
  return {
    title: t("Similarity of position {position} to every other", { position }),
    series,
    verticals: [{ x: other, name: String(other) }],
  };
}
