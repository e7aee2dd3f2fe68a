/** The steps of a translation, and of scores that are not symmetric. */

import {
  bracket,
  formula,
  inline,
  mathml,
  name,
  number,
  over,
  root,
  row,
  sub,
  sup,
  vector,
} from "../../base/maths/mathml.js";
import { asymmetryOf, translationOf } from "./state.js";
import { featureName, glossed } from "./names.js";
import { fixed } from "../../base/numbers.js";
import { listed, n } from "../../base/maths/formula_terms.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("./state.js").WhyData} WhyData */
/** @typedef {import("../frame/concept.js").Scene} Scene */

const word = (/** @type {string} */ letter, /** @type {string} */ of, role = "") =>
  sub(vector(letter, role), mathml("mtext", {}, of));
/** @param {readonly number[]} values @param {number} [digits] */
const list = (values, digits = 2) => bracket(...listed(values.map((value) => n(value, digits))));
const transpose = () => name("⊤");
const bar = () => mathml("mo", { stretchy: "false" }, "‖");
const norm = (/** @type {import("../../base/maths/mathml.js").Part[]} */ ...parts) => row(bar(), ...parts, bar());

/** @param {WhyData} data @returns {Scene} */
export function translationSteps(data) {
  const translation = translationOf(data);
  const formulas = [
    formula(
      sub(name("α"), row(name("i"), name("j"))),
      "=",
      name("softmax"),
      bracket(
        over(
          row(sub(vector("q", "is-query"), name("i")), "·", sub(vector("k", "is-key"), name("j"))),
          root(number("4")),
        ),
      ),
    ),
  ];
  if (!translation) return { formulas, steps: [], table: null };
  const { target } = data.state;
  const [shares, weights, scores] = [
    translation.through_one_vector[target],
    translation.weights[target],
    translation.scores[target],
  ];
  const best = weights.indexOf(Math.max(...weights));
  const said = { word: translation.target[target], best: glossed(translation.source[best]) };
  const asked = translation.meanings
    .filter((_, feature) => translation.target_features[target][feature] > 0)
    .map(featureName);
  return {
    formulas,
    steps: [
      {
        name: t("One vector"),
        says: t("What the encoder's last state holds of each word. “{word}” gets the same as every other.", said),
        line: inline(list(shares, 3)),
      },
      {
        name: t("Query"),
        says: t("“{word}” asks for: {features}.", { ...said, features: asked.join(t(", ")) }),
        line: inline(
          word("q", translation.target[target], "is-query"),
          "=",
          number(String(translation.sharpness)),
          "·",
          list(translation.target_features[target], 1),
        ),
      },
      {
        name: t("Scores"),
        says: t("The query with the key of each source word, divided by √4."),
        line: inline(list(scores)),
      },
      {
        name: t("Weights"),
        says: t("“{word}” attends most to {best}.", said),
        line: inline(list(weights, 4)),
      },
    ],
    table: translationTable(translation, target, best),
  };
}

/**
 * @param {NonNullable<ReturnType<typeof translationOf>>} translation
 * @param {number} target
 * @param {number} best  of the source words
 * @returns {import("../frame/concept.js").StepTable}
 */
function translationTable(translation, target, best) {
  const shares = translation.through_one_vector[target];
  const [weights, scores] = [translation.weights[target], translation.scores[target]];
  return {
    caption: t("What “{word}” takes from each source word", { word: translation.target[target] }),
    columns: [
      { name: t("word"), step: 0 },
      { name: t("one vector"), step: 1 },
      { name: t("score"), step: 3 },
      { name: t("weight"), step: 4 },
    ],
    rows: translation.source.map((word, index) => [
      glossed(word),
      fixed(shares[index], 4),
      fixed(scores[index], 2),
      fixed(weights[index], 4),
    ]),
    sums: [t("sum"), ...[shares, weights].map(totalOf).flatMap((sum, index) => (index ? ["", sum] : [sum]))],
    chosen: best,
  };
}

/** @param {readonly number[]} values */
const totalOf = (values) =>
  fixed(
    values.reduce((sum, value) => sum + value, 0),
    4,
  );

const [S, Q, K] = ["S", "Q", "K"].map((letter) => () => name(letter, { Q: "is-query", K: "is-key" }[letter] ?? ""));

/** The scores, and the same with queries and keys exchanged. */
function mirrored() {
  return formula(
    S(),
    "=",
    over(row(Q(), sup(K(), transpose())), root(sub(name("d"), name("k")))),
    ",",
    sup(S(), transpose()),
    "=",
    over(row(K(), sup(Q(), transpose())), root(sub(name("d"), name("k")))),
  );
}

/** @param {WhyData} data @returns {Scene} */
export function asymmetrySteps(data) {
  const asymmetry = asymmetryOf(data);
  const formulas = [mirrored()];
  if (!asymmetry) return { formulas, steps: [], table: null };
  const { query, key } = data.state;
  const { tokens, shared, own } = asymmetry;
  const said = { word: tokens[query], other: tokens[key] };
  const pair = (/** @type {typeof own} */ side) =>
    inline(
      sub(name("s"), mathml("mtext", {}, `${tokens[query]}→${tokens[key]}`)),
      "=",
      n(side.scores[query][key], 2),
      ",",
      sub(name("s"), mathml("mtext", {}, `${tokens[key]}→${tokens[query]}`)),
      "=",
      n(side.scores[key][query], 2),
    );
  return {
    formulas,
    steps: [
      {
        name: t("One matrix"),
        says: t("With W_q = W_k every vector is query and key at once: both directions have the same score."),
        line: pair(shared),
      },
      {
        name: t("Two matrices"),
        says: t("What “{word}” looks for need not be what “{other}” looks for.", said),
        line: pair(own),
      },
      {
        name: t("Asymmetry"),
        says: t("How far the scores are from their mirror image, over all pairs: 0 if they are symmetric."),
        line: inline(over(norm(S(), "−", sup(S(), transpose())), norm(S())), "=", n(own.asymmetry)),
      },
      {
        name: t("Weights"),
        says: t("What each of the two gives the other after softmax."),
        line: inline(
          sub(name("α"), mathml("mtext", {}, `${tokens[query]}→${tokens[key]}`)),
          "=",
          n(own.weights[query][key]),
          ",",
          sub(name("α"), mathml("mtext", {}, `${tokens[key]}→${tokens[query]}`)),
          "=",
          n(own.weights[key][query]),
        ),
      },
    ],
    table: asymmetryTable(asymmetry, query, key),
  };
}

/**
 * @param {NonNullable<ReturnType<typeof asymmetryOf>>} asymmetry
 * @param {number} query
 * @param {number} key
 * @returns {import("../frame/concept.js").StepTable}
 */
function asymmetryTable({ tokens, shared, own }, query, key) {
  return {
    caption: t("“{word}” as the query", { word: tokens[query] }),
    columns: [
      { name: t("key"), step: 0 },
      { name: t("one matrix"), step: 1 },
      { name: t("two matrices"), step: 2 },
      { name: t("weight"), step: 4 },
    ],
    rows: tokens.map((token, index) => [
      glossed(token),
      fixed(shared.scores[query][index], 2),
      fixed(own.scores[query][index], 2),
      fixed(own.weights[query][index], 4),
    ]),
    sums: [t("sum"), "", "", totalOf(own.weights[query])],
    chosen: key,
  };
}
