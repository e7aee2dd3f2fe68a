/** ALiBi's formulas and steps, with the numbers that the server answered. */

import { comparedOf } from "./state.js";
import { t } from "../../base/i18n.js";
import { bracket, formula, inline, name, number, over, root, row, sub, sup } from "../../base/maths/mathml.js";
import { n, signed } from "../../base/maths/formula_terms.js";

/** @typedef {import("./state.js").AlibiData} AlibiData */
/** @typedef {import("../frame/concept.js").Step} Step */

/** @param {number} value  with as many digits as it has, up to six */
const any = (value) => number(String(Number(value.toFixed(6))).replace("-", "−"));
const slope = (/** @type {string | number} */ head) =>
  sub(name("m"), typeof head === "number" ? any(head) : name(head));
const i = () => name("i", "is-query");
const j = () => name("j", "is-key");

/** @param {AlibiData} data @returns {import("../frame/concept.js").Scene} */
export function calculation(data) {
  const { view, symmetric } = data.state;
  const distance = symmetric ? row("|", i(), "−", j(), "|") : bracket(i(), "−", j());
  const general =
    view === "reach"
      ? formula(sup(name("e"), row("−", slope("h"), name("a"))))
      : formula(
          name("softmax"),
          bracket(
            over(row(sub(name("q", "is-query"), name("i")), "·", sub(name("k", "is-key"), name("j"))), root(name("d"))),
            "−",
            slope("h"),
            distance,
          ),
        );
  const exponent = row("−", number("8"), bracket(name("h"), "+", number("1")), "/", name("n"));
  const slopes = formula(slope("h"), "=", sup(number("2"), exponent), ",", name("n"), "=", sup(number("2"), name("p")));
  return { formulas: [general, slopes], steps: STEPS[view](data), table: null };
}

/** @type {Record<import("./state.js").AlibiState["view"], (data: AlibiData) => Step[]>} */
const STEPS = { bias, compare, reach };

/**
 * The slope of a head: of the power of two below the number of heads, or between those.
 * @param {AlibiData} data
 * @returns {Step}
 */
function slopeOf({ state, answer }) {
  const { head } = state;
  const power = 2 ** Math.floor(Math.log2(state.heads));
  const isBetween = head >= power;
  const [place, count] = isBetween ? [2 * (head - power) + 1, 2 * power] : [head + 1, power];
  return {
    name: t("Slope"),
    says: isBetween
      ? t("{heads} heads are not a power of two: head {head} takes slope number {place} of {count} heads.", {
          heads: state.heads,
          head,
          place,
          count,
        })
      : t("Head {head} has slope number {place} of {count}.", { head, place, count }),
    line: inline(
      slope(head),
      "=",
      sup(number("2"), row("−", number("8"), "·", any(place), "/", any(count))),
      "=",
      n(answer.slopes[head], 5),
    ),
  };
}

/** @param {AlibiData} data */
function bias(data) {
  const { state, answer } = data;
  const { head, query, key } = state;
  const distance = state.symmetric ? Math.abs(query - key) : query - key;
  const isHidden = !state.symmetric && key > query;
  return [
    slopeOf(data),
    {
      name: t("Distance"),
      says: state.symmetric
        ? t("How far the key is from the query, on either side.")
        : t("How far the key is behind the query."),
      line: inline(any(query), "−", any(key), "=", any(query - key)),
    },
    {
      name: t("Bias"),
      says: isHidden
        ? t("The key comes later: the formula would give a bonus, but the causal mask makes the score −∞.")
        : t("What is added to the scaled score of this query and this key."),
      line: inline(
        "−",
        n(answer.slopes[head], 5),
        "·",
        distance < 0 ? bracket(any(distance)) : any(distance),
        "=",
        n(answer.bias[head][query][key]),
      ),
    },
    {
      name: t("Factor"),
      says: t("The weight is multiplied by this before the row is normalised."),
      line: inline(sup(name("e"), n(answer.bias[head][query][key])), "=", n(Math.exp(answer.bias[head][query][key]))),
    },
  ];
}

/** @param {AlibiData} data */
function compare(data) {
  const { state, answer } = data;
  const { head, query, key } = state;
  const { none, rope, alibi } = comparedOf(answer);
  const cellOf = (/** @type {(number | string)[][]} */ matrix) => matrix[query][key];
  const isHidden = cellOf(none.masked_scores) === "-Infinity";
  return [
    slopeOf(data),
    {
      name: t("Score"),
      says: t("Without positions, and with RoPE, which rotates both vectors by their positions."),
      line: inline(n(cellOf(none.scaled_scores)), ",", name("RoPE"), n(cellOf(rope.scaled_scores))),
    },
    {
      name: t("Bias added"),
      says: isHidden
        ? t("The causal mask hides this key.")
        : t("The score without positions, and head {head}'s bias.", { head }),
      line: inline(
        n(cellOf(none.scaled_scores)),
        "+",
        signed(answer.bias[head][query][key]),
        "=",
        n(cellOf(alibi[head].masked_scores)),
      ),
    },
    {
      name: t("Weight"),
      says: t("The weight this query gives to this key: without positions, with RoPE, with ALiBi."),
      line: inline(n(cellOf(none.weights)), ",", n(cellOf(rope.weights)), ",", n(cellOf(alibi[head].weights))),
    },
  ];
}

/** @param {AlibiData} data */
function reach(data) {
  const { state, answer } = data;
  const { head } = state;
  const m = answer.slopes[head];
  const penalty = answer.bias[head][0][answer.bias[head][0].length - 1 - state.distance];
  return [
    slopeOf(data),
    {
      name: t("Factor"),
      says: t(
        "With equal scores, a key {distance} tokens back gets this fraction of the weight that a key at the query's own position gets.",
        {
          distance: state.distance,
        },
      ),
      line: inline(
        sup(name("e"), row("−", n(m, 5), "·", any(state.distance))),
        "=",
        sup(name("e"), n(penalty)),
        "=",
        n(Math.exp(penalty)),
      ),
    },
    {
      name: t("Half-weight distance"),
      says: t("The distance at which a key has half the weight."),
      line: inline(over(row(name("ln"), number("2")), n(m, 5)), "=", n(Math.LN2 / m, 2)),
    },
  ];
}
