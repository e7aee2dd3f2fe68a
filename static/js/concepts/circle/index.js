/** The page of the circle: its controls and views, in the frame of a concept. */

import { postConcept } from "../../api/analyses.js";
import { createCachedResource } from "../../requests/cached_resource.js";
import { barsView } from "./bars.js";
import { currentFormula, generalFormula, stepsOf, tableOf } from "./steps.js";
import { bindCircleControls } from "./controls.js";
import { exercises } from "./exercises.js";
import { circleNumbers, trailOf } from "./numbers.js";
import { presets, read, requestOf, write } from "./state.js";
import { startConcept } from "../frame/concept.js";
import { need } from "../../base/dom.js";
import { circleView } from "./view.js";
import { failureView } from "../../page/failure.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("../frame/attention.js").AdditiveWeights} AdditiveWeights */
/** @typedef {import("./numbers.js").CircleNumbers} CircleNumbers */
/** @typedef {import("./state.js").CircleState} CircleState */

const KEPT = 16;

const needs = (/** @type {Readonly<CircleState>} */ { seed }) => [{ stem: "circle", body: hiddenLayer(seed) }];

startConcept(document, () => ({ stem: "circle", read, write, request: requestOf, presets, needs, exercises, build }));

/**
 * @param {import("../frame/concept.js").Desk<CircleState>} desk
 * @returns {import("../frame/concept.js").Instrument<CircleState>}
 */
function build({ root, state, schedule }) {
  // The hidden layers of additive attention as the server draws them from a seed.
  const layers = createCachedResource({
    ...{ lane: "circle", onChange: schedule, kept: KEPT },
    read: async (/** @type {number} */ seed, signal) =>
      /** @type {AdditiveWeights} */ ((await postConcept("circle", hiddenLayer(seed), signal)).additive_weights),
  });
  const problem = mount(need(root, "#circle-problem"), failureView, {});
  const controls = bindCircleControls(root, state);
  /** @type {CircleNumbers | null} */
  let numbers = null;
  const picture = mount(need(root, "#picture"), circleView, {
    latest: state.get,
    onSelect: ({ kind, index }) => state.set({ [kind]: index }, "switch"),
    onTurn: ({ kind, index }, degrees, length, origin) => {
      const value = state.get();
      const with_ = (/** @type {number[]} */ list, /** @type {number} */ one) =>
        list.map((old, at) => (at === index ? one : old));
      state.set(
        kind === "query"
          ? { queryAngles: with_(value.queryAngles, degrees), queryLengths: with_(value.queryLengths, length) }
          : { keyAngles: with_(value.keyAngles, degrees), keyLengths: with_(value.keyLengths, length) },
        origin,
      );
    },
  });
  const bars = mount(need(root, "#bars"), barsView, {
    onPick: (query, key) => state.set({ query, key }, "switch"),
  });

  return {
    show(value) {
      const isAdditive = value.mechanism === "additive";
      const [additive = null] = layers.take(isAdditive ? [value.seed] : []);
      numbers = isAdditive && !additive ? null : circleNumbers(value, additive);
      controls(value, numbers);
      problem(layers.failure());
      if (!numbers) return null;
      picture({ state: value, numbers, trail: value.trail ? trailOf(value, numbers, additive) : [] });
      bars({ weights: numbers.weights, query: value.query, key: value.key });
      return {
        formulas: [generalFormula(value), currentFormula(value, numbers)],
        steps: stepsOf(value, numbers),
        table: tableOf(value, numbers),
      };
    },
    pictures: () => ["#picture svg", "#bars svg"].map((selector) => need(root, selector)),
    difference: (answer) => (numbers ? largestDifference(numbers, answer) : NaN),
  };
}

/**
 * The call that is answered with the hidden layer of this seed.
 * @param {number} seed
 */
function hiddenLayer(seed) {
  return { n: 1, query_angles_deg: [0], mechanism: "additive", additive: { seed } };
}

/**
 * @param {CircleNumbers} numbers
 * @param {Record<string, number[][]>} answer
 */
function largestDifference(numbers, answer) {
  /** @type {[number[][], number[][]][]} */
  const pairs = [
    [numbers.scores, answer.scores],
    [numbers.scaledScores, answer.scaled_scores],
    [numbers.weights, answer.weights],
    [numbers.outputs, answer.outputs],
    [numbers.keys, answer.keys],
  ];
  return Math.max(
    ...pairs.flatMap(([ours, theirs]) =>
      ours.flatMap((row, index) => row.map((value, at) => Math.abs(value - theirs[index][at]))),
    ),
  );
}
