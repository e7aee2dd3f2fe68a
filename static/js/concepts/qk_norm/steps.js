/** The formula and the steps of QK-norm, with the numbers of one query and one key; lengths in many dimensions. */

import { t } from "../../base/i18n.js";
import {
  bracket,
  formula,
  inline,
  name,
  number,
  over,
  root,
  row,
  size,
  sub,
  sup,
  vector,
} from "../../base/maths/mathml.js";
import { exact, fixed } from "../../base/numbers.js";
import { KINDS } from "./state.js";
import { n, signed } from "../../base/maths/formula_terms.js";

/** @typedef {import("./state.js").QKNormData} QKNormData */
/** @typedef {import("./state.js").Kind} Kind */
/** @typedef {import("../frame/concept.js").Step} Step */

const q = () => vector("q", "is-query");
const k = () => vector("k", "is-key");
/** @param {Element} inside */
const hat = (inside) => sup(inside, "′");

/** @returns {Record<Kind, string>} */
export function kindNames() {
  return { none: t("no norm"), layer: "LayerNorm", rms: t("RMS norm"), l2: t("L2 norm") };
}

/**
 * @param {QKNormData} data
 * @returns {import("../frame/concept.js").Scene}
 */
export function calculation(data) {
  return data.state.view === "lengths" ? lengths(data) : scores(data);
}

/**
 * @param {QKNormData} data
 * @returns {import("../frame/concept.js").Scene}
 */
function scores(data) {
  const { state, answer } = data;
  const cell = { query: state.query, key: state.key };
  const chosen = answer.norms[KINDS.indexOf(state.kind)];
  const plain = answer.norms[0];
  const dimensions = chosen.queries[0].length;
  const [long, wide] = [plain.query_norms[cell.query], plain.key_norms[cell.key]];
  const [longAfter, wideAfter] = [chosen.query_norms[cell.query], chosen.key_norms[cell.key]];
  const cosine = answer.cosines[cell.query][cell.key];
  const dot = chosen.dot_products[cell.query][cell.key];
  const score = chosen.scores[cell.query][cell.key];
  /** @type {Step[]} */
  const steps = [
    {
      name: t("Lengths"),
      says: t("Of query {query} and key {key}, before normalisation.", cell),
      line: inline(size(q()), "=", n(long), ",", size(k()), "=", n(wide)),
    },
    {
      name: t("Without a norm"),
      says: t("Direction and both lengths, combined in one number."),
      line: inline(n(long), "·", n(wide), "·", signed(cosine), "=", n(plain.dot_products[cell.query][cell.key])),
    },
    {
      name: kindNames()[state.kind],
      says: NORM_SAYS[state.kind](),
      line: inline(size(hat(q())), "=", n(longAfter), ",", size(hat(k())), "=", n(wideAfter)),
    },
    dotStep(chosen.bound, [longAfter, wideAfter], dot),
    {
      name: t("Score"),
      says: state.kind === "l2" ? t("Times √D, as nGPT does.") : t("Divided by √D, as usual."),
      line: inline(
        signed(dot),
        state.kind === "l2" ? "·" : "/",
        root(number(String(dimensions))),
        "=",
        n(score),
        ",",
        sub(name("w"), row(name("q"), name("k"))),
        "=",
        n(chosen.weights[cell.query][cell.key]),
      ),
    },
    ...(answer.order_difference ? [orderStep(answer.order_difference)] : []),
  ];
  return { formulas: formulas(plain, cell, cosine), steps, table: everyNorm(answer, cell, KINDS.indexOf(state.kind)) };
}

/** @param {number | null} bound @param {[number, number]} lengths  after the norm @param {number} dot @returns {Step} */
function dotStep(bound, [long, wide], dot) {
  return {
    name: t("Dot product"),
    says:
      bound === null
        ? t("Nothing bounds it.")
        : t("Whatever the input, it stays within ±{bound}.", { bound: fixed(bound, 2) }),
    line: inline(
      hat(q()),
      "·",
      hat(k()),
      "=",
      ...(long * wide > 0 ? [n(long), "·", n(wide), "·", signed(dot / (long * wide)), "="] : []),
      n(dot),
    ),
  };
}

/** @param {Record<string, number>} difference @returns {Step} */
function orderStep({ rms, l2 }) {
  return {
    name: t("Norm and RoPE swapped"),
    says: t(
      "Largest change of a dot product. A rotation keeps lengths, so only a learned scale makes the order matter.",
    ),
    line: inline(name("RMS"), ":", number(exact(rms)), ",", name("L2"), ":", number(exact(l2))),
  };
}

/**
 * @param {import("./state.js").QKNormAnswer["norms"][number]} plain  the reading without a norm
 * @param {{query: number, key: number}} cell
 * @param {number} cosine
 * @returns {Element[]}
 */
function formulas(plain, cell, cosine) {
  const values = [n(plain.query_norms[cell.query], 2), "·", n(plain.key_norms[cell.key], 2), "·", signed(cosine, 3)];
  const product = n(plain.dot_products[cell.query][cell.key], 2);
  const bare = formula(q(), "·", k(), "=", size(q()), size(k()), name("cos"), name("θ"), "=", ...values, "=", product);
  const l2 = formula(over(q(), size(q())), "·", over(k(), size(k())), "=", name("cos"), name("θ"), "=", n(cosine, 3));
  const rms = formula(
    name("RMS"),
    bracket(vector("x")),
    "=",
    over(
      vector("x"),
      root(row(over(number("1"), name("D")), sub("∑", name("i")), sup(sub(name("x"), name("i")), number("2")))),
    ),
  );
  return [bare, l2, rms];
}

/** @type {Record<Kind, () => string>} */
const NORM_SAYS = {
  none: () => t("No norm: the lengths stay."),
  layer: () => t("The mean is subtracted, then the length becomes √D."),
  rms: () => t("Divided by the root mean square: the length becomes √D, times the learned scale."),
  l2: () => t("Divided by its length: the length becomes 1, times the learned scale."),
};

/**
 * @param {import("./state.js").QKNormAnswer} answer
 * @param {{query: number, key: number}} cell
 * @param {number} chosen
 * @returns {import("../frame/concept.js").StepTable}
 */
function everyNorm(answer, cell, chosen) {
  const names = kindNames();
  return {
    caption: t("Query {query} and key {key} under every norm", cell),
    columns: [
      { name: t("kind of norm"), step: 0 },
      { name: "|q′|", step: 3 },
      { name: "|k′|", step: 3 },
      { name: "q′·k′", step: 4 },
      { name: t("lowest of all"), step: 4 },
      { name: t("highest of all"), step: 4 },
      { name: t("bound"), step: 4 },
      { name: t("score"), step: 5 },
      { name: t("weight"), step: 5 },
    ],
    rows: answer.norms.map((norm) => [
      names[norm.kind],
      fixed(norm.query_norms[cell.query], 4),
      fixed(norm.key_norms[cell.key], 4),
      fixed(norm.dot_products[cell.query][cell.key], 4),
      fixed(norm.lowest, 4),
      fixed(norm.highest, 4),
      norm.bound === null ? "∞" : `±${fixed(norm.bound, 2)}`,
      fixed(norm.scores[cell.query][cell.key], 4),
      fixed(norm.weights[cell.query][cell.key], 4),
    ]),
    sums: ["", "", "", "", "", "", "", "", ""],
    chosen,
  };
}

/**
 * @param {QKNormData} data
 * @returns {import("../frame/concept.js").Scene}
 */
function lengths({ others: [further] }) {
  const last = further.points[further.points.length - 1];
  const d = () => number(String(last.d));
  const general = [
    formula(
      size(row(name("LN"), bracket(vector("x")))),
      "=",
      root(name("d")),
      "=",
      root(d()),
      "=",
      n(Math.sqrt(last.d), 3),
    ),
    formula(
      over(name("σ"), name("μ")),
      "≈",
      over(number("1"), root(row(number("2"), name("d")))),
      "=",
      over(number("1"), root(row(number("2"), "·", d()))),
      "=",
      n(1 / Math.sqrt(2 * last.d)),
    ),
  ];
  const steps = further.points.map((point) => ({
    name: `d = ${point.d}`,
    says: t("Lengths of x: {mean} ± {deviation}, {percent} % of the mean; expected {expected} %.", {
      mean: fixed(point.raw.mean, 3),
      deviation: fixed(point.raw.standard_deviation, 3),
      percent: fixed(100 * point.raw.relative_spread, 2),
      expected: fixed(100 * point.expected_relative_spread, 2),
    }),
    line: inline(
      size(row(name("LN"), bracket(vector("x")))),
      "=",
      n(point.layer_norm.mean, 3),
      ",",
      root(number(String(point.d))),
      "=",
      n(Math.sqrt(point.d), 3),
    ),
  }));
  return { formulas: general, steps, table: lengthTable(further.points) };
}

/** @param {import("../../api/types.js").AnswerTo<"qk_norm/concentration">["points"]} points @returns {import("../frame/concept.js").StepTable} */
function lengthTable(points) {
  return {
    caption: t("Lengths and angles of random vectors"),
    columns: [
      { name: "d", step: 0 },
      { name: "√d", step: 0 },
      { name: t("|x|, mean"), step: 0 },
      { name: t("spread, %"), step: 0 },
      { name: t("expected, %"), step: 0 },
      { name: "|LN(x)|", step: 0 },
      { name: t("with gain"), step: 0 },
      { name: t("spread, %"), step: 0 },
      { name: "|W·LN(x)|", step: 0 },
      { name: t("deviation of cos θ"), step: 0 },
    ],
    rows: points.map((point) => [
      String(point.d),
      fixed(Math.sqrt(point.d), 3),
      fixed(point.raw.mean, 3),
      fixed(100 * point.raw.relative_spread, 2),
      fixed(100 * point.expected_relative_spread, 2),
      fixed(point.layer_norm.mean, 3),
      fixed(point.layer_norm_gain.mean, 3),
      fixed(100 * point.layer_norm_gain.relative_spread, 2),
      fixed(point.projected.mean, 3),
      fixed(point.cosine_standard_deviation, 4),
    ]),
    sums: ["", "", "", "", "", "", "", "", "", ""],
    chosen: -1,
  };
}
