/** RoPE's charts: a pair on its circle, the sky, clocks, score matrices and curves. */

import { el, fill } from "../../base/dom.js";
import { pickCell, queriesByKeys, switchedView, titledPlaces } from "../frame/views.js";
import { nonNull } from "../../base/non_null.js";
import { furtherAnswer } from "../frame/further_answer.js";
import { t } from "../../base/i18n.js";
import { linePlot } from "../../charts/plots/line_plot.js";
import { pointsOf } from "../../charts/lines.js";
import { lowered } from "../../base/numbers.js";
import { matrixMark } from "../../charts/matrix.js";
import { ropeClocks, ropeCircle, ropeSky } from "./pictures.js";
import { scaledPositions, skyStars } from "./state.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("./state.js").RopeData} RopeData */
/** @typedef {import("../frame/concept.js").ConceptView<RopeData>} View */

const SCALINGS = { none: "RoPE", linear: "linear", ntk: "NTK", dynamic: "dynamic", yarn: "YaRN", llama3: "Llama 3" };

/** @type {View} */
export const ropeView = switchedView({
  pair: (element) => drawn(element, ropeCircle),
  sky(element) {
    const [picture, scores] = boxes(element, 2);
    const stars = drawn(picture, ropeSky);
    const matrix = mount(scores, matrixMark, {});
    return (data) => {
      stars(data);
      matrix({ ...SIGNED(), title: t("Scores of every two stars"), values: skyScores(data), most: 1.2 });
    };
  },
  clocks: (element, { set }) => drawn(element, (data) => ropeClocks(data, (pair) => set({ pair }, "pick"))),
  scores(element, tools) {
    const marks = boxes(element, 3, [1, 2, 3]).map((box) => mount(box, matrixMark, pickCell(tools, "pick")));
    return ({ state, answer }) => {
      const chosen = { row: state.query, column: state.key };
      const [scores, moved] = [nonNull(answer.relative_scores), nonNull(answer.slide)];
      const shared = { ...SIGNED(), most: largest(scores), chosen };
      const slide = state.slide;
      marks[0]({ ...shared, title: t("Scores q·k"), values: scores });
      marks[1]({
        ...shared,
        title: t("Both shifted"),
        axes: t("both shifted by {slide}", { slide }),
        values: moved.both,
      });
      marks[2]({
        ...shared,
        title: t("Query shifted"),
        axes: t("only the query shifted by {slide}", { slide }),
        values: moved.query_only,
      });
    };
  },
  group(element) {
    const titles = [
      t("The query's rotation"),
      t("The key's rotation"),
      t("One after the other"),
      t("Back, then forth"),
    ];
    const marks = titledPlaces(element, titles, "rope-box", [1, 1, 2, 4]).map((box) => mount(box, matrixMark, {}));
    return ({ state, answer, others }) => {
      const { query, key } = state;
      const rotations = answer.cos.map(([cos], pair) => [
        [cos, -answer.sin[pair][0]],
        [answer.sin[pair][0], cos],
      ]);
      const forth = nonNull(nonNull(furtherAnswer(others, "composition")).composition);
      const values = [...rotations, forth.product, nonNull(answer.composition).product];
      const R = (/** @type {number} */ position) => `R${lowered(position)}`;
      const names = [
        R(query),
        R(key),
        `${R(query)}${R(key)} = ${R(query + key)}`,
        `${R(query)}ᵀ${R(key)} = ${R(key - query)}`,
      ];
      marks.forEach((mark, index) =>
        mark({ title: titles[index], values: values[index], axes: names[index], scale: "signed", most: 1, digits: 4 }),
      );
    };
  },
  decay(element) {
    const mark = mount(element, linePlot, {});
    return ({ state, answer }) =>
      mark({
        title: t("Mean strength against distance"),
        series: [
          {
            name: t("mean |S|"),
            points: pointsOf(answer.decay_distances, answer.decay),
          },
        ],
        x: { name: t("distance between query and key") },
        y: { name: t("mean |S|"), least: 0 },
        verticals: [{ x: state.distance, name: String(state.distance) }],
        height: 300,
      });
  },
  pairing(element, tools) {
    const marks = boxes(element, 3, [1, 2, 3]).map((box) => mount(box, matrixMark, pickCell(tools, "pick")));
    return ({ state, answer }) => {
      const chosen = { row: state.query, column: state.key };
      const [scores, mixed] = [nonNull(answer.relative_scores), nonNull(answer.mixed_pairings)];
      const shared = { ...SIGNED(), most: largest(scores), chosen };
      marks[0]({
        ...shared,
        title: t("Both interleaved"),
        axes: t("both interleaved: right"),
        values: scores,
      });
      marks[1]({
        ...shared,
        title: t("Mixed"),
        axes: t("query interleaved, key in halves: the bug"),
        values: mixed.mixed_scores,
      });
      marks[2]({
        ...shared,
        title: t("Both in halves, reordered"),
        axes: t("both in halves, after reordering: right again"),
        values: mixed.permuted_scores,
      });
    };
  },
  scaling(element) {
    const [scores, unseen] = boxes(element, 2).map((box) => mount(box, linePlot, {}));
    return ({ state, others }) => {
      const answer = furtherAnswer(others, "scalings");
      if (!answer) return;
      const positions = scaledPositions(state);
      const verticals = [
        { x: state.trained, name: t("trained") },
        { x: state.distance, name: String(state.distance) },
      ];
      const curves = (/** @type {"scores" | "unseen_pairs"} */ what) =>
        answer.scalings.map((scaling) => ({
          name: SCALINGS[scaling.kind],
          points: pointsOf(positions, scaling[what]),
          dashed: scaling.kind === "none",
        }));
      scores({
        title: t("Score of two equal vectors against their distance"),
        series: curves("scores"),
        x: { name: t("distance between query and key") },
        y: { name: t("score") },
        verticals,
        height: 260,
      });
      unseen({
        title: t("Pairs at angles never seen in training"),
        series: curves("unseen_pairs"),
        x: { name: t("position") },
        y: { name: t("pairs at unseen angles"), least: 0 },
        verticals,
        height: 220,
      });
    };
  },
});

const SIGNED = () => ({
  ...queriesByKeys(),
  scale: /** @type {const} */ ("signed"),
});

/**
 * @param {HTMLElement} element
 * @param {(data: RopeData) => SVGElement} picture
 * @returns {(data: RopeData) => void}
 */
function drawn(element, picture) {
  return (data) => fill(element, picture(data));
}

/**
 * @param {HTMLElement} element
 * @param {number} count
 * @param {number[]} [steps]  the step of the calculation that makes each
 */
function boxes(element, count, steps = []) {
  const boxes = Array.from({ length: count }, (_, index) =>
    el("div", { class: "rope-box", "data-step": steps[index] }),
  );
  fill(element, ...boxes);
  return boxes;
}

/** @param {number[][]} matrix */
function largest(matrix) {
  return Math.max(...matrix.flat().map(Math.abs));
}

/** Dot products of the stars in their current positions. @param {RopeData} data */
function skyScores({ answer }) {
  const stars = skyStars(answer);
  return stars.map(([x, y]) => stars.map(([u, v]) => x * u + y * v));
}
