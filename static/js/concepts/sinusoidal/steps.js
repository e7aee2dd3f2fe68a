/** Sinusoidal positions: formulas and steps, with the numbers that the server answered. */

import { nonNull } from "../../base/non_null.js";
import { t } from "../../base/i18n.js";
import { bracket, formula, inline, name, number, over, row, size, sub, sum, sup } from "../../base/maths/mathml.js";
import { exact, fixed, grouped, small } from "../../base/numbers.js";
import { chosenIn, columnsOf } from "./state.js";
import { n, signed } from "../../base/maths/formula_terms.js";

/** @typedef {import("./state.js").SinusoidalData} SinusoidalData */
/** @typedef {import("../frame/concept.js").Step} Step */

/** @param {number} value */
const any = (value) => number(Number.isInteger(value) ? grouped(value).replace("-", "−") : exact(value));
const omega = (/** @type {string | number} */ index) =>
  sub(name("ω"), typeof index === "number" ? any(index) : name(index));
const PE = (/** @type {...(string | number | Element)} */ ...inside) => row(name("PE"), bracket(...inside));
const sin = (/** @type {Element} */ inside) => row(name("sin"), bracket(inside));
const cos = (/** @type {Element} */ inside) => row(name("cos"), bracket(inside));
const frequency = () => formula(omega("i"), "=", sup(name("b"), row("−", number("2"), name("i"), "/", name("d"))));
const p = () => name("p");
const q = () => name("q");

/** @param {SinusoidalData} data @returns {import("../frame/concept.js").Scene} */
export function calculation(data) {
  return { formulas: GENERAL[data.state.view](), steps: STEPS[data.state.view](data), table: null };
}

const wave = () => [
  formula(PE(p(), ",", number("2"), name("i")), "=", sin(row(p(), omega("i")))),
  formula(PE(p(), ",", number("2"), name("i"), "+", number("1")), "=", cos(row(p(), omega("i")))),
];
const alike = () => formula(PE(p()), "·", PE(q()), "=", sum(name("i")), cos(row(bracket(p(), "−", q()), omega("i"))));

/** @type {Record<import("./state.js").SinusoidalState["view"], () => Element[]>} */
const GENERAL = {
  map: () => [...wave(), frequency()],
  similarity: () => [alike(), frequency()],
  step: () => [formula(PE(p(), "+", name("k")), "=", sub(name("M"), name("k")), PE(p())), frequency()],
  learned: () => [
    formula(
      name("cos"),
      bracket(p(), ",", q()),
      "=",
      over(
        row(name("E"), bracket(p()), "·", name("E"), bracket(q())),
        row(size(name("E"), bracket(p())), size(name("E"), bracket(q()))),
      ),
    ),
  ],
};

/** @type {Record<import("./state.js").SinusoidalState["view"], (data: SinusoidalData) => Step[]>} */
const STEPS = { map, similarity, step, learned };

/**
 * @param {SinusoidalData} data
 * @param {number} pair
 * @returns {Step}
 */
function speedOf({ state, answer }, pair) {
  const dim = 2 * answer.frequencies.length;
  return {
    name: t("Speed"),
    says: t("Radians per position of pair {pair}; a full turn takes {count} positions.", {
      pair,
      count: readable(answer.wavelengths[pair]),
    }),
    line: inline(
      omega(pair),
      "=",
      sup(any(state.base), row("−", number("2"), "·", any(pair), "/", any(dim))),
      "=",
      any(answer.frequencies[pair]),
    ),
  };
}

/** @param {number} value */
function readable(value) {
  return value >= 1000 ? grouped(Math.round(value)) : fixed(value, 2);
}

/** @param {SinusoidalData} data */
function map(data) {
  const { state, answer } = data;
  const { position, pair } = chosenIn(state, answer);
  const [sine, cosine] = columnsOf(state, pair, answer.frequencies.length);
  const angle = position * answer.frequencies[pair];
  const vector = answer.encoding[position];
  const entry = (/** @type {number} */ column) => PE(any(position), ",", any(column));
  return [
    speedOf(data, pair),
    {
      name: t("Angle"),
      says: t("The angle at position {position}, {degrees}° within the current turn.", {
        position,
        degrees: fixed(((angle * 180) / Math.PI) % 360, 1),
      }),
      line: inline(any(position), "·", omega(pair), "=", n(angle)),
    },
    {
      name: t("Its sine"),
      says: t("It is dimension {column} of the vector.", { column: sine }),
      line: inline(entry(sine), "=", sin(n(angle)), "=", n(vector[sine])),
    },
    {
      name: t("Its cosine"),
      says: t("It is dimension {column} of the vector.", { column: cosine }),
      line: inline(entry(cosine), "=", cos(n(angle)), "=", n(vector[cosine])),
    },
  ];
}

/** @param {SinusoidalData} data */
function similarity({ state, answer }) {
  const { position, other } = chosenIn(state, answer);
  const half = answer.frequencies.length;
  const far = position - other;
  const dot = nonNull(answer.similarity)[position][other];
  return [
    {
      name: t("Distance"),
      says: t("sin a sin b + cos a cos b = cos(a − b): for each pair only the difference of the angles remains."),
      line: inline(any(position), "−", any(other), "=", any(far)),
    },
    {
      name: t("Dot product"),
      says: t("A cosine for each of the {count} pairs, added up.", { count: half }),
      line: inline(
        PE(any(position)),
        "·",
        PE(any(other)),
        "=",
        sum(row(name("i"), "<", any(half))),
        cos(row(any(far), omega("i"))),
        "=",
        n(dot),
      ),
    },
    {
      name: t("Cosine similarity"),
      says: t("Every position's vector has the length √(d/2), so it is divided by d/2."),
      line: inline(over(n(dot), any(half)), "=", n(nonNull(answer.cosine_similarity)[position][other])),
    },
  ];
}

/** @param {SinusoidalData} data */
function step(data) {
  const { state, answer } = data;
  const { pair } = chosenIn(state, answer);
  const taken = nonNull(answer.step);
  const pairs = answer.frequencies.length;
  const [sine, cosine] = columnsOf(state, pair, pairs);
  const [here] = answer.encoding;
  const sums = [sine, cosine].map((column) =>
    row(
      n(taken.matrix[column][sine]),
      "·",
      signed(here[sine]),
      "+",
      signed(taken.matrix[column][cosine]),
      "·",
      signed(here[cosine]),
    ),
  );
  return [
    speedOf(data, pair),
    {
      name: t("Rotation"),
      says: t("Its two rows of the matrix: the cosine and the sine of k ω, whatever the position."),
      line: inline(
        any(state.by),
        "·",
        omega(pair),
        "=",
        n(state.by * answer.frequencies[pair]),
        ",",
        name("cos"),
        "=",
        n(taken.matrix[sine][sine]),
        ",",
        name("sin"),
        "=",
        n(taken.matrix[sine][cosine]),
      ),
    },
    {
      name: t("Applied"),
      says: t("The pair's sine at position {position}, out of the pair at position {start}.", {
        position: state.position + state.by,
        start: state.position,
      }),
      line: inline(sums[0], "=", n(taken.by_matrix[0][sine])),
    },
    {
      name: t("Difference"),
      says: t("Largest difference between the vector reached by the matrix and the one computed directly."),
      line: inline(
        size(sub(name("M"), any(state.by)), PE(any(state.position)), "−", PE(any(state.position + state.by))),
        "≤",
        number(small(taken.largest_difference)),
      ),
    },
  ];
}

/** @param {SinusoidalData} data */
function learned({ state, answer }) {
  const table = nonNull(answer.table);
  const { position, other } = chosenIn(state, { ...answer, positions: table.positions });
  const [rows, width] = table.table_size;
  return [
    {
      name: t("Table"),
      says: table.learned
        ? t("{rows} rows of {width} numbers, all learned: there is no row for position {rows}.", { rows, width })
        : t("{rows} rows of {width} numbers: fixed sines, kept as a table.", { rows, width }),
      line: inline(any(rows), "·", any(width), "=", any(rows * width)),
    },
    {
      name: t("Learned"),
      says: t("Cosine similarity of the model's rows {position} and {other}.", { position, other }),
      line: inline(
        name("cos"),
        bracket(any(position), ",", any(other)),
        "=",
        n(nonNull(table.cosine_similarity)[position][other]),
      ),
    },
    {
      name: t("Sinusoidal"),
      says: t("The same positions as sines and cosines, {count} numbers each.", {
        count: 2 * answer.frequencies.length,
      }),
      line: inline(
        name("cos"),
        bracket(any(position), ",", any(other)),
        "=",
        n(nonNull(answer.cosine_similarity)[position][other]),
      ),
    },
  ];
}
