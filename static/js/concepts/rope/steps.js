/** RoPE's formulas and steps, with the numbers that the server answered. */

import { nonNull } from "../../base/non_null.js";
import { furtherAnswer } from "../frame/further_answer.js";
import { t } from "../../base/i18n.js";
import {
  bracket,
  formula,
  inline,
  name,
  number,
  over,
  row,
  size,
  sub,
  sum,
  sup,
  vector,
} from "../../base/maths/mathml.js";
import { exact, fixed, grouped, lowered } from "../../base/numbers.js";
import { scaledPositions, skyStars, starsBefore } from "./state.js";
import { listed, n } from "../../base/maths/formula_terms.js";

/** @typedef {import("./state.js").RopeData} RopeData */

/** @param {number} value */
const any = (value) => number(Number.isInteger(value) ? grouped(value) : exact(value));
const theta = (/** @type {string | number} */ index) =>
  sub(name("θ"), typeof index === "number" ? any(index) : name(index));
/** @param {string | number} position */
const R = (position) =>
  sub(name("R"), typeof position === "number" ? number(String(position).replace("-", "−")) : name(position));
const q = () => vector("q", "is-query");
const k = () => vector("k", "is-key");
const T = () => name("⊤");
/** @param {readonly number[]} values */
const column = (values) => bracket(...listed(values.map((value) => n(value))));

/** @param {RopeData} data @returns {import("../frame/concept.js").Scene} */
export function calculation(data) {
  return { formulas: GENERAL[data.state.view](), steps: STEPS[data.state.view](data), table: null };
}

const relative = () => formula(sup(bracket(R("m"), q()), T()), bracket(R("n"), k()), "=", sup(q(), T()), R("n−m"), k());
const frequency = () => formula(theta("i"), "=", sup(name("b"), row("−", number("2"), name("i"), "/", name("d"))));

/** @type {Record<import("./state.js").RopeState["view"], () => Element[]>} */
const GENERAL = {
  pair: () => [
    formula(
      R("m"),
      q(),
      "=",
      bracket(
        row(sub(name("q"), number("0")), name("cos"), name("m"), name("θ"), "−"),
        row(sub(name("q"), number("1")), name("sin"), name("m"), name("θ"), ","),
        row(sub(name("q"), number("0")), name("sin"), name("m"), name("θ"), "+"),
        row(sub(name("q"), number("1")), name("cos"), name("m"), name("θ")),
      ),
    ),
  ],
  sky: () => [relative(), formula(size(R("m"), q()), "=", size(q()))],
  clocks: () => [frequency()],
  scores: () => [relative(), frequency()],
  group: () => [
    formula(R("m"), R("n"), "=", R("m+n")),
    formula(sup(R("m"), T()), "=", R("−m")),
    formula(sup(R("m"), T()), R("n"), "=", R("n−m")),
  ],
  decay: () => [
    formula(
      sub(name("S"), name("j")),
      "=",
      sum(row(name("i"), "<", name("j"))),
      bracket(row(name("cos"), name("Δ"), theta("i"), ","), row(name("sin"), name("Δ"), theta("i"))),
    ),
  ],
  pairing: () => [
    formula(
      bracket(
        sub(name("x"), row(number("2"), name("i"))),
        ",",
        sub(name("x"), row(number("2"), name("i"), "+", number("1"))),
      ),
    ),
    formula(bracket(sub(name("x"), name("i")), ",", sub(name("x"), row(name("i"), "+", name("d"), "/", number("2"))))),
  ],
  scaling: () => [frequency(), formula(sup(theta("i"), "′"), "=", theta("i"), "/", name("s"))],
};

/** @type {Record<import("./state.js").RopeState["view"], (data: RopeData) => import("../frame/concept.js").Step[]>} */
const STEPS = { pair, sky, clocks, scores, group, decay, pairing, scaling };

/** @param {RopeData} data */
function pair({ state, answer }) {
  const last = state.position;
  const [angle] = answer.angles[last];
  return [
    {
      name: t("Angle"),
      says: t("At position {position} the angle is {position} × θ.", { position: last }),
      line: inline(name("m"), name("θ"), "=", any(last), "·", any(state.theta), "=", n(angle)),
    },
    {
      name: t("Cosine and sine"),
      says: t("Of this angle, {degrees}°.", { degrees: fixed((angle * 180) / Math.PI, 1) }),
      line: inline(name("cos"), "=", n(answer.cos[last][0]), ",", name("sin"), "=", n(answer.sin[last][0])),
    },
    {
      name: t("Rotated"),
      says: t("The pair at position {position}.", { position: last }),
      line: inline(R(last), q(), "=", column(answer.rotated[last])),
    },
    {
      name: t("Length"),
      says: t("A rotation keeps it."),
      line: inline(
        size(R(last), q()),
        "=",
        n(answer.norms[last]),
        "=",
        size(q()),
        "=",
        n(Math.hypot(...answer.vector)),
      ),
    },
  ];
}

/** @param {RopeData} data */
function sky(data) {
  const { state, answer } = data;
  const [now, before] = [skyStars(answer), starsBefore(data)];
  const other = state.star === 0 ? 1 : state.star;
  const dot = (/** @type {number[][]} */ stars) => stars[0][0] * stars[other][0] + stars[0][1] * stars[other][1];
  const position = other + state.slide + (state.star === other ? state.alone : 0);
  const zero = state.slide + (state.star === 0 ? state.alone : 0);
  const angleOf = (/** @type {number} */ shifted) => [number(fixed(shifted, 1)), "·", any(state.theta)];
  const distance = ["=", number(fixed(position - zero, 1))];
  return [
    {
      name: t("Before"),
      says: t("Star 0 attends to star {star}: their score while nothing is shifted.", { star: other }),
      line: inline(q(), "·", k(), "=", n(dot(before))),
    },
    {
      name: t("Rotation"),
      says: t("Both are rotated, each by its own position."),
      line: inline(...angleOf(zero), ",", ...angleOf(position)),
    },
    {
      name: t("After"),
      says:
        state.alone === 0
          ? t("The distance between their positions is unchanged, and so is the score.")
          : t("A single star moved: the distance changed, and the score with it."),
      line: inline(q(), "·", k(), "=", n(dot(now)), ",", name("n"), "−", name("m"), ...distance),
    },
  ];
}

/** @param {RopeData} data */
function clocks({ state, answer }) {
  const index = Math.min(state.pair, answer.frequencies.length - 1);
  const [angle] = [answer.angles[0][index]];
  const exponent = row("−", number("2"), "·", any(index), "/", any(Number(state.dim)));
  return [
    {
      name: t("Speed"),
      says: t("Radians that pair {pair} rotates per position.", { pair: index }),
      line: inline(theta(index), "=", sup(any(state.base), exponent), "=", any(answer.frequencies[index])),
    },
    {
      name: t("Full turn"),
      says: t("Positions per full turn."),
      line: inline(number("2"), name("π"), "/", theta(index), "=", number(readable(answer.wavelengths[index]))),
    },
    {
      name: t("Now"),
      says: t("The hand at position {position}.", { position: state.position }),
      line: inline(
        any(state.position),
        "·",
        theta(index),
        "=",
        n(angle),
        "=",
        number(`${fixed(((angle * 180) / Math.PI) % 360, 1)}°`),
      ),
    },
  ];
}

/** @param {number} value */
function readable(value) {
  return value >= 1000 ? grouped(Math.round(value)) : fixed(value, 2);
}

/** @param {RopeData} data */
function scores({ state, answer }) {
  const { query, key, slide } = state;
  const moved = nonNull(answer.slide);
  return [
    {
      name: t("Score"),
      says: t("Query at {query}, key at {key}, both rotated by their positions.", { query, key }),
      line: inline(
        sup(bracket(R(query), q()), T()),
        bracket(R(key), k()),
        "=",
        n(nonNull(answer.relative_scores)[query][key]),
      ),
    },
    {
      name: t("Both shifted"),
      says: t("Largest change anywhere in the matrix: {change}", { change: exact(moved.largest_change_both) }),
      line: inline(
        sup(bracket(R(query + slide), q()), T()),
        bracket(R(key + slide), k()),
        "=",
        n(moved.both[query][key]),
      ),
    },
    {
      name: t("Query shifted"),
      says: t("Largest change anywhere in the matrix: {change}", { change: exact(moved.largest_change_query_only) }),
      line: inline(
        sup(bracket(R(query + slide), q()), T()),
        bracket(R(key), k()),
        "=",
        n(moved.query_only[query][key]),
      ),
    },
  ];
}

/** @param {RopeData} data */
function group({ state, answer, others }) {
  const { query, key } = state;
  const [back, forth] = [nonNull(answer.composition), nonNull(furtherAnswer(others, "composition")).composition];
  const angle = (/** @type {string} */ letter, /** @type {number} */ position) => [
    row(name(letter), name("θ")),
    "=",
    any(position),
    "·",
    any(state.theta),
    "=",
    n(position * state.theta),
  ];
  const cosine = (/** @type {number[][]} */ matrix) => [",", name("cos"), "=", n(matrix[0][0])];
  return [
    {
      name: t("Two rotations"),
      says: t("The query at position {query} is rotated by its angle, the key at position {key} by its own.", {
        query,
        key,
      }),
      line: inline(...angle("m", query), ",", ...angle("n", key)),
    },
    {
      name: t("In a row"),
      says: t("One rotation after the other is again a rotation: the angles add up."),
      line: inline(R(query), R(key), "=", R(query + key), ...cosine(nonNull(forth).product)),
    },
    {
      name: t("Undone"),
      says: t("The transpose rotates back by the same angle; forth and back together change nothing."),
      line: inline(sup(R(query), T()), "=", R(-query), ",", sup(R(query), T()), R(query), "=", R(0), "=", name("I")),
    },
    {
      name: t("Only the distance"),
      says: t(
        "A score holds the query's rotation backwards and the key's forwards: the distance of the positions is left.",
      ),
      line: inline(sup(R(query), T()), R(key), "=", R(key - query), ...cosine(back.product)),
    },
  ];
}

/** @param {RopeData} data */
function decay({ state, answer }) {
  const { distance } = state;
  return [
    {
      name: t("Strength"),
      says: t("The mean length of the partial sums S₁ … {last} of the pairs' hands, at distance {distance}.", {
        distance,
        last: `S${lowered(answer.frequencies.length)}`,
      }),
      line: inline(size(name("S")), "=", n(answer.decay[distance], 2)),
    },
    {
      name: t("Relative to distance 0"),
      says: t("What remains of the strength at equal positions."),
      line: inline(
        over(n(answer.decay[distance], 2), n(answer.decay[0], 2)),
        "=",
        n(answer.decay[distance] / answer.decay[0]),
      ),
    },
  ];
}

/** @param {RopeData} data */
function pairing({ state, answer }) {
  const { query, key } = state;
  const mixed = nonNull(answer.mixed_pairings);
  const score = (/** @type {number[][]} */ matrix) => inline(q(), "·", k(), "=", n(matrix[query][key]));
  return [
    {
      name: t("One convention"),
      says: t("Query and key use the same pairing: the score depends only on the distance."),
      line: score(nonNull(answer.relative_scores)),
    },
    {
      name: t("Mixed"),
      says: t("When both positions move by 1, scores change by up to {change}: they are no longer relative.", {
        change: exact(mixed.largest_change_on_slide),
      }),
      line: score(mixed.mixed_scores),
    },
    {
      name: t("Reordered"),
      says: t("The other convention after reordering the components: the same score."),
      line: score(mixed.permuted_scores),
    },
  ];
}

/** @param {RopeData} data */
function scaling({ state, others }) {
  const answer = furtherAnswer(others, "scalings");
  if (!answer) return [];
  const index = scaledPositions(state).indexOf(state.distance);
  const by = Object.fromEntries(answer.scalings.map((scaling) => [scaling.kind, scaling]));
  const slowest = by.none.frequencies.length - 1;
  const step = (/** @type {string} */ kind, /** @type {string} */ title, /** @type {string} */ says) => ({
    name: title,
    says: [says, t("Pairs at unseen angles: {count}.", { count: by[kind].unseen_pairs[index] })].join(" "),
    line: inline(
      theta(slowest),
      "=",
      any(by[kind].frequencies[slowest]),
      ",",
      theta(0),
      "=",
      any(by[kind].frequencies[0]),
    ),
  });
  return [
    step("none", "RoPE", t("Nothing is scaled.")),
    step("linear", t("linear"), t("All speeds are divided by the factor, even the fastest.")),
    step("ntk", "NTK", t("A larger base: the slowest pair is divided by the factor, the fastest not at all.")),
    step("yarn", "YaRN", t("Fast pairs stay, slow ones are divided, with a ramp between; scores are sharpened.")),
  ];
}
