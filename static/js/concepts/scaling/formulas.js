/** The formulas of each view of ÷√d_k. */

import { furtherAnswer } from "../frame/further_answer.js";
import {
  bracket,
  formula,
  name,
  number,
  over,
  root,
  row,
  size,
  sub,
  sum,
  sup,
  vector,
} from "../../base/maths/mathml.js";
import { fixed, small } from "../../base/numbers.js";

/** @typedef {import("./state.js").ScalingData} ScalingData */

const dk = () => sub(name("d"), name("k"));
const Var = (/** @type {(Element | string)[]} */ ...inside) => row(name("Var"), bracket(...inside));
const product = () => row(vector("q", "is-query"), "·", vector("k", "is-key"));
const q = () => sub(name("q"), name("i"));
const k = () => sub(name("k"), name("i"));
const w = () => name("w");
const softmax = (/** @type {(Element | string)[]} */ ...inside) => row(name("softmax"), bracket(...inside));

/** @param {ScalingData} data @returns {Element[]} */
export function formulas(data) {
  const { view, source, divisor } = data.state;
  if (view === "distributions") return variances(source === "linear");
  if (view === "size") return [...variances(false), twoWeights()];
  if (view === "panels") return [twoWeights()];
  if (view === "growth") return [derivatives(), derivative()];
  const scaled = formula(w(), "=", softmax(over(name("s"), name("c"))), ",", name("c"), "=", number(String(divisor)));
  return [scaled, ...ratios(furtherAnswer(data.others, "unscaled"))];
}

/** Of a score, as it is and divided. @param {boolean} isLinear  whether components have another variance v than 1 */
function variances(isLinear) {
  const squared = sup(name("v"), number("2"));
  const variance = isLinear ? row(Var(q()), Var(k())) : Var(q(), k());
  const raw = isLinear ? row(dk(), squared) : dk();
  const scaled = isLinear ? squared : number("1");
  const sums = [Var(product()), "=", sum(name("i")), variance, "=", raw];
  return [formula(...sums, ",", Var(over(product(), root(dk()))), "=", scaled)];
}

function twoWeights() {
  return formula(w(), "=", softmax(product()), ",", w(), "=", softmax(over(product(), root(name("d")))));
}

/** How much softmax answers to the scores z that it is given. */
function derivatives() {
  const everyPair = sum(row(name("i"), ",", name("j")));
  const slope = over(row("∂", sub(w(), name("i"))), row("∂", sub(name("z"), name("j"))));
  return formula(
    size(size(over(row("∂", w()), row("∂", name("z"))))),
    "=",
    root(row(everyPair, sup(bracket(slope), number("2")))),
  );
}

function derivative() {
  const [wi, wj] = [sub(w(), name("i")), sub(w(), name("j"))];
  const [above, below] = [row("∂", sub(w(), name("i"))), row("∂", sub(name("z"), name("j")))];
  return formula(over(above, below), "=", wi, bracket(sub(name("δ"), row(name("i"), name("j"))), "−", wj));
}

/**
 * The largest e^score in proportion to the smallest, before and after dividing.
 * @param {import("../../api/types.js").AnswerTo<"scaling/saturation"> | undefined} further
 */
function ratios(further) {
  if (!further) return [];
  const e = (/** @type {number} */ score) =>
    sup(name("e"), number(String(Math.round(score * 1e4) / 1e4).replace("-", "−")));
  return [further.unscaled, further.scaled].flatMap(({ scores, ratio }) =>
    ratio === null ? [] : [formula(over(e(Math.max(...scores)), e(Math.min(...scores))), "=", number(short(ratio)))],
  );
}

/** @param {number} ratio */
function short(ratio) {
  return ratio >= 1e6 ? small(ratio) : fixed(ratio, ratio >= 100 ? 0 : 2);
}
