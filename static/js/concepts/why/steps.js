/** How much of a word is left, each way, with the numbers that the server answered. */

import { between, listed, n } from "../../base/maths/formula_terms.js";
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
  sum,
  sup,
} from "../../base/maths/mathml.js";
import { asymmetrySteps, translationSteps } from "./japanese_steps.js";
import { fixed, small } from "../../base/numbers.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("./state.js").WhyData} WhyData */
/** @typedef {import("../frame/concept.js").Scene} Scene */

const vector = (/** @type {string} */ letter) => mathml("mi", { mathvariant: "normal", class: "is-vector" }, letter);
/** @param {string} letter @param {string} word */
const of = (letter, word) => sub(vector(letter), mathml("mtext", {}, word));
const whole = (/** @type {number} */ value) => number(String(value));
const norm = (/** @type {import("../../base/maths/mathml.js").Part[]} */ ...parts) =>
  row(mathml("mo", { stretchy: "false" }, "‖"), ...parts, mathml("mo", { stretchy: "false" }, "‖"));
const derivative = (/** @type {string} */ word, /** @type {string} */ of_) =>
  norm(row("∂", of("h", word), "/", "∂", of("x", of_)));
/** @param {number} value  an influence, which may be very small */
const left = (value) => number(value >= 1e-3 || value === 0 ? fixed(value, 4) : small(value));

/** @param {WhyData} data @returns {Scene} */
export function calculation(data) {
  return { ways, distance, translation: translationSteps, asymmetry: asymmetrySteps }[data.state.view](data);
}

function formulas() {
  const x = () => sub(vector("x"), name("t"));
  const state = (/** @type {string} */ position) => sub(vector("h"), name(position));
  return [
    formula(
      mathml("mover", {}, vector("x"), mathml("mo", {}, "¯")),
      "=",
      over(number("1"), name("n")),
      sum(name("t")),
      x(),
    ),
    formula(
      state("t"),
      "=",
      name("tanh"),
      bracket(name("W"), sub(vector("h"), row(name("t"), "−", number("1"))), "+", name("U"), x()),
      ",",
      name("W"),
      "=",
      name("g"),
      name("R"),
    ),
    formula(
      vector("o"),
      "=",
      sum(name("t")),
      sub(name("α"), name("t")),
      x(),
      ",",
      sub(name("α"), name("t")),
      "=",
      name("softmax"),
      bracket(
        over(row(mathml("mi", { mathvariant: "normal", class: "is-vector is-query" }, "q"), "·", x()), root(name("d"))),
      ),
    ),
  ];
}

/** @param {WhyData} data @returns {Scene} */
function ways({ state, answer }) {
  const { words, reader, asks, wanted } = answer;
  const [network] = answer.recurrent;
  const said = { word: words[reader], wanted: words[wanted], count: reader - wanted, n: words.length };
  const weight = answer.weights[reader][wanted];
  const shares = [answer.average[wanted], network.shares[wanted], weight];
  const total = network.influences.reduce((sum, value) => sum + value, 0);
  return {
    formulas: formulas(),
    steps: [
      {
        name: t("Average"),
        says: t("Each of {n} words counts the same, whoever reads.", said),
        line: inline(over(number("1"), whole(words.length)), "=", n(answer.average[wanted])),
      },
      {
        name: t("Recurrent network"),
        says:
          wanted > reader
            ? t("“{wanted}” comes after “{word}”: it has not been read yet.", said)
            : t(
                "How much h changes with the vector of “{wanted}”, which came {count} steps before, and its share of all.",
                said,
              ),
        line: inline(
          derivative(words[reader], words[wanted]),
          "=",
          left(network.influences[wanted]),
          ",",
          over(left(network.influences[wanted]), n(total)),
          "=",
          n(shares[1]),
        ),
      },
      {
        name: t("Attention"),
        says:
          reader === asks
            ? t("The query of “{word}” was set to the key of “{wanted}”. The distance is not in the formula.", said)
            : t("The query of “{word}” is random: nobody has set it.", said),
        line: inline(
          row(over(row(of("q", words[reader]), "·", of("k", words[wanted])), root(whole(state.dim)))),
          "=",
          n(answer.scores[reader][wanted]),
          ",",
          sub(name("α"), mathml("mtext", {}, words[wanted])),
          "=",
          n(weight),
        ),
      },
      {
        name: t("Compare"),
        says: t("How much of “{wanted}” reaches “{word}”: averaged, from the network, by attention.", said),
        line: inline(...listed(shares.map((share) => n(share)))),
      },
    ],
    table: everyWord(answer),
  };
}

/** @param {import("./state.js").WhyAnswer} answer */
function everyWord({ words, average, recurrent, weights, reader, wanted }) {
  const columns = [average, recurrent[0].shares, weights[reader]];
  const sumOf = (/** @type {readonly number[]} */ values) =>
    fixed(
      values.reduce((sum, value) => sum + value, 0),
      4,
    );
  return {
    caption: t("How much of every word reaches “{word}”", { word: words[reader] }),
    columns: [
      { name: t("word"), step: 0 },
      { name: t("average"), step: 1 },
      { name: t("recurrent network"), step: 2 },
      { name: t("attention"), step: 3 },
    ],
    rows: words.map((word, index) => [word, ...columns.map((values) => fixed(values[index], 4))]),
    sums: [t("sum"), ...columns.map(sumOf)],
    chosen: wanted,
  };
}

/** What is left of a word in a later state, and its bound. */
function gradientFormulas() {
  const product = [
    ...between(
      [sub(name("D"), name("T")), name("W"), sub(name("D"), row(name("T"), "−", number("1"))), name("W"), "…"],
      "",
    ).filter((part) => part !== ""),
    sub(name("D"), name("t")),
    name("U"),
  ];
  return [
    formula(over(row("∂", sub(vector("h"), name("T"))), row("∂", sub(vector("x"), name("t")))), "=", ...product),
    formula(
      norm(over(row("∂", sub(vector("h"), name("T"))), row("∂", sub(vector("x"), name("t"))))),
      "≤",
      sup(name("g"), row(name("T"), "−", name("t"))),
      norm(name("U")),
    ),
  ];
}

/** @param {WhyData} data @returns {Scene} */
function distance({ state, answer }) {
  const { words, reader, asks, wanted } = answer;
  const [network] = answer.recurrent;
  const { influences, bounds } = network;
  const back = reader - wanted;
  const said = { word: words[reader], wanted: words[wanted], first: words[0], count: back, gain: state.gain };
  const size = (/** @type {number} */ position) => left(influences[position]);
  const isBefore = back > 0;
  return {
    formulas: gradientFormulas(),
    steps: [
      {
        name: t("The newest word"),
        says: t("It has passed U and tanh, and no W yet.", said),
        line: inline(derivative(words[reader], words[reader]), "=", size(reader)),
      },
      {
        name: t("The one asked for"),
        says: isBefore
          ? t("“{wanted}” is {count} words back: W and tanh have been applied {count} times since.", said)
          : t("“{wanted}” does not come before “{word}”.", said),
        line: inline(derivative(words[reader], words[wanted]), "=", left(influences[wanted])),
      },
      {
        name: t("A bound"),
        says:
          state.gain < 1
            ? t("The slope of tanh is at most 1 and W multiplies every length by {gain}: no more can be left.", said)
            : t(
                "With a gain of {gain} the bound does not shrink with the distance: influence may fade, hold or grow.",
                said,
              ),
        line: inline(sup(n(state.gain, 1), whole(Math.max(back, 0))), norm(name("U")), "=", left(bounds[wanted])),
      },
      {
        name: t("Attention"),
        says:
          reader === asks
            ? t("The weight of “{wanted}”, at whatever distance.", said)
            : t("The weight of “{wanted}” for “{word}”, whose query is random.", said),
        line: inline(sub(name("α"), mathml("mtext", {}, words[wanted])), "=", n(answer.weights[reader][wanted])),
      },
    ],
    table: null,
  };
}
