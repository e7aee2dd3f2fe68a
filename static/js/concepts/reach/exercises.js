/** Exercises about reach; the server measures each answer but that of the long text, which its measurement only counts. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { arrived, identity, matrixOf, namedMask } from "./masks.js";

/** @typedef {import("./masks.js").Matrix} Matrix */
/** @typedef {import("../frame/exercises.js").Exercise<import("./state.js").ReachState>} ReachExercise */

const later = (/** @type {Matrix} */ matrix) =>
  matrix.flatMap((row, query) => row.filter((is, key) => is && key > query)).length;
const farthest = (/** @type {Matrix} */ matrix, sign = 1) =>
  Math.max(...matrix.flatMap((row, query) => row.flatMap((is, key) => (is ? [sign * (query - key)] : []))));
/** @param {Matrix} mask @param {number} query @param {number} key */
const holed = (mask, query, key) =>
  mask.map((row, rowIndex) => row.map((may, column) => may || (rowIndex === query && column === key)));
/** After so many layers of one mask. @param {Matrix} mask @param {number} layers @param {Matrix} [mixed] */
const after = (mask, layers, mixed) => arrived(Array(layers).fill(mask), mixed)[layers - 1];

/** @returns {ReachExercise[]} */
export function exercises() {
  return [windowFar(), windowWhole(), oneHole(), twoDocuments(), convolution(), manyCuts()];
}

/** @returns {ReachExercise} */
function windowFar() {
  const [window, layers] = [3, 4];
  const mask = namedMask("window", 12, window);
  const far = (/** @type {number} */ depth) => farthest(after(mask, depth));
  return {
    id: "reach-window",
    question: t(
      "A causal window of 3 keys, the query's own included, and 4 layers. How many positions back does a token reach?",
    ),
    labels: [t("positions")],
    expected: [far(layers)],
    tolerance: 0,
    slips: [
      {
        values: [layers * window],
        says: t("Each window holds the query itself as well: a layer adds one position less than it is wide."),
      },
      { values: [far(1)], says: t("That is one layer: each further one reads what the one before has gathered.") },
      { values: [far(layers) + 1], says: t("That counts the token itself: asked is how far back, not how many.") },
    ],
    way: [t("A window of 3 goes 2 positions back; each layer goes 2 further from there."), "4 · (3 − 1) = 8"],
    state: { kind: "window", tokens: 12, layers, window, drawn: [], mixing: "none", layer: 3, query: 11, key: 3 },
    ...served("reach", { masks: [mask], layers }, ({ reached }) => [
      farthest(/** @type {Matrix[]} */ (reached)[layers - 1]),
    ]),
  };
}

/** @returns {ReachExercise} */
function windowWhole() {
  const [tokens, window, most] = [12, 4, 6];
  const mask = namedMask("window", tokens, window);
  const first = (/** @type {Matrix[]} */ reached) =>
    1 + reached.findIndex((matrix) => matrix[tokens - 1].every(Boolean));
  return {
    id: "reach-whole",
    question: t("12 tokens, a causal window of 4. After how many layers has the last position heard of every token?"),
    labels: [t("layers")],
    expected: [first(arrived(Array(most).fill(mask)))],
    tolerance: 0,
    slips: [
      {
        values: [tokens / window],
        says: t("Windows of two layers overlap in one position: divide by one less than the window."),
      },
      { values: [tokens - 1], says: t("That would be one position a layer, a window of 2.") },
      { values: [1], says: t("One layer shows the last position the 4 tokens of its window alone.") },
    ],
    way: [t("It must come 11 positions back, 3 a layer."), "11 / 3 = 3.67 → 4"],
    state: { kind: "window", tokens, layers: most, window, drawn: [], mixing: "none", layer: 3, query: 11, key: 0 },
    ...served("reach", { masks: [mask], layers: most }, ({ reached }) => [first(/** @type {Matrix[]} */ (reached))]),
  };
}

/** @returns {ReachExercise} */
function oneHole() {
  const mask = holed(namedMask("causal", 6, 1), 1, 4);
  const pairs = (/** @type {number} */ layers) => later(after(mask, layers));
  return {
    id: "reach-hole",
    question: t(
      "6 tokens, a causal mask in 2 layers, with one hole: query 1 may also read key 4. How many pairs are there after 2 layers in which a position is reached by a later one?",
    ),
    labels: [t("pairs")],
    expected: [pairs(2)],
    tolerance: 0,
    slips: [
      { values: [pairs(1)], says: t("That is the hole itself: the second layer carries on what came through it.") },
      {
        values: [after(mask, 2)[1].filter((is, key) => is && key > 1).length],
        says: t("That is position 1 alone: positions 2 and 3 read it, and so hear of 4 as well."),
      },
      {
        values: [pairs(3)],
        says: t("That takes a third layer: after two, position 2 has heard of 4 and not yet of 3."),
      },
    ],
    way: [
      t("Position 1 reads 4, which has heard of 2 and 3: three pairs."),
      t("Positions 2 and 3 read 1, which had heard of 4: two more."),
      "3 + 2 = 5",
    ],
    state: {
      kind: "causal",
      tokens: 6,
      layers: 3,
      drawn: [[1, 4]],
      only: "every",
      mixing: "none",
      layer: 1,
      query: 2,
      key: 4,
    },
    ...served("reach", { masks: [mask], layers: 2 }, ({ reached }) => [later(/** @type {Matrix[]} */ (reached)[1])]),
  };
}

/** @returns {ReachExercise} */
function twoDocuments() {
  const mask = holed(namedMask("documents", 8, 1), 5, 2);
  const across = (/** @type {Matrix} */ matrix) =>
    matrix.slice(4).flatMap((row) => row.slice(0, 4).filter(Boolean)).length;
  return {
    id: "reach-documents",
    question: t(
      "Two documents of 4 tokens are packed into one sequence, causal in each. One hole: query 5, in the second, may read key 2, in the first. How many pairs across the border are reached after 3 layers?",
    ),
    labels: [t("pairs")],
    expected: [across(after(mask, 3))],
    tolerance: 0,
    slips: [
      {
        values: [across(after(mask, 1))],
        says: t("That is the hole itself: later layers carry on what came through it."),
      },
      {
        values: [across(after(mask, 2))],
        says: t("That is after two layers: in the third, positions 6 and 7 hear of 0 and 1 as well."),
      },
      { values: [3 * 4], says: t("Key 3 comes after key 2, which cannot have heard of it.") },
    ],
    way: [t("Keys 0, 1 and 2 come through the hole; queries 5, 6 and 7 hear of them."), "3 · 3 = 9"],
    state: {
      kind: "documents",
      tokens: 8,
      layers: 3,
      drawn: [[5, 2]],
      only: "every",
      mixing: "none",
      layer: 2,
      query: 7,
      key: 0,
    },
    ...served("reach", { masks: [mask], layers: 3 }, ({ reached }) => [across(/** @type {Matrix[]} */ (reached)[2])]),
  };
}

/** @returns {ReachExercise} */
function convolution() {
  const layers = 3;
  const mask = namedMask("causal", 8, 1);
  const ahead = (/** @type {number} */ depth, reach = 1) =>
    farthest(
      after(
        mask,
        depth,
        matrixOf(8, (query, key) => Math.abs(query - key) <= reach),
      ),
      -1,
    );
  return {
    id: "reach-convolution",
    question: t(
      "A causal mask without a hole. After the attention of each of 3 layers comes a convolution over the position itself and one neighbour on each side. How many positions ahead does a state know of?",
    ),
    labels: [t("positions")],
    expected: [ahead(layers)],
    tolerance: 0,
    slips: [
      {
        values: [farthest(after(mask, layers, identity(8)), -1)],
        says: t("That is what the mask says: the convolution does not ask it."),
      },
      { values: [ahead(1)], says: t("That is one layer: each further one goes one position further ahead.") },
      {
        values: [ahead(layers, 2)],
        says: t("Of the three positions one is the state's own and one lies behind it: a layer adds one ahead."),
      },
    ],
    way: [t("One position ahead in each layer; the mask has no say in it."), "3 · 1 = 3"],
    state: { kind: "causal", tokens: 8, layers, drawn: [], mixing: "convolution", layer: 2, query: 2, key: 5 },
    ...served("reach", { masks: [mask], layers, mixing: "convolution" }, ({ reached }) => [
      farthest(/** @type {Matrix[]} */ (reached)[2], -1),
    ]),
  };
}

/** @returns {ReachExercise} */
function manyCuts() {
  const tokens = 64;
  const halvings = Math.ceil(Math.log2(tokens));
  return {
    id: "reach-cuts",
    question: t(
      "Whether a model of 64 tokens looks ahead everywhere is asked with few copies of the text: 2 · log₂ N cuts, everything from the cut on replaced in each. How many copies is that, and how many with every cut?",
    ),
    labels: [t("few"), t("every cut")],
    expected: [2 * halvings, tokens - 1],
    tolerance: 0,
    slips: [
      { values: [halvings, null], says: t("That is log₂ 64: take it twice.") },
      { values: [null, tokens], says: t("Nothing stands before the first token, so that there is one cut less.") },
      {
        values: [null, (tokens * (tokens - 1)) / 2],
        says: t("Those are the pairs: a cut answers for all pairs across it at once."),
      },
    ],
    way: ["2 · log₂ 64 = 2 · 6 = 12", t("A cut lies between two neighbours: 63 of them.")],
  };
}
