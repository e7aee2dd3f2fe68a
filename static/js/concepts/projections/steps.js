/** From one input to queries, keys and values and what they do, with the numbers of one token. */

import { t } from "../../base/i18n.js";
import { tokenNames } from "./names.js";
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
import { fixed } from "../../base/numbers.js";
import { between, listed, n } from "../../base/maths/formula_terms.js";

/** @typedef {import("./state.js").ProjectionsData} ProjectionsData */
/** @typedef {import("../frame/concept.js").Step} Step */

/** @param {string} letter */
const big = (letter) => name(letter, { Q: "is-query", K: "is-key", V: "is-value" }[letter] ?? "");
/** A vector of a token. @param {string} letter @param {string} token */
const small = (letter, token) =>
  sub(vector(letter, { q: "is-query", k: "is-key", v: "is-value" }[letter] ?? ""), mathml("mtext", {}, token));
const transpose = () => name("⊤");
/** Numbers of a vector that are written. */
const MOST_SHOWN = 16;

/**
 * @param {ProjectionsData} data
 * @returns {import("../frame/concept.js").Scene}
 */
export function calculation(data) {
  return data.state.view === "roles" ? roles(data) : three(data);
}

/** Of the three projections, and of the attention over them. @param {boolean} hasBias */
function general(hasBias) {
  const made = (/** @type {string} */ letter) =>
    row(
      ...[big(letter), "=", name("X"), sup(sub(name("W"), name(letter.toLowerCase())), transpose())],
      ...(hasBias ? ["+", sub(name("b"), name(letter.toLowerCase()))] : []),
    );
  return [
    ...["Q", "K", "V"].map((letter) => formula(made(letter))),
    formula(
      name("O"),
      "=",
      name("softmax"),
      bracket(over(row(big("Q"), sup(big("K"), transpose())), root(sub(name("d"), name("k"))))),
      big("V"),
    ),
  ];
}

/**
 * @param {ProjectionsData} data
 * @returns {import("../frame/concept.js").Scene}
 */
function three(data) {
  const { state, answer } = data;
  const names = tokenNames(state, answer);
  const query = state.query;
  const weights = answer.weights[query];
  const best = weights.indexOf(Math.max(...weights));
  const mixed = weights.map((weight, index) => row(n(weight), small("v", names[index])));
  const formulas = [...general(state.view === "model"), formula(small("o", names[query]), "=", ...between(mixed, "+"))];
  const dimension = answer.queries[0].length;
  /** @type {Step[]} */
  const steps = [
    {
      name: t("Query"),
      says: t("What “{word}” looks for: x times each row of W_q.", { word: names[query] }),
      line: inline(small("q", names[query]), "=", list(answer.queries[query], 2)),
    },
    {
      name: t("Key"),
      says: t("What “{word}” is found by: x times each row of W_k.", { word: names[best] }),
      line: inline(small("k", names[best]), "=", list(answer.keys[best], 2)),
    },
    {
      name: t("Value"),
      says: t("What “{word}” passes on: x times each row of W_v.", { word: names[best] }),
      line: inline(small("v", names[best]), "=", list(answer.values[best], 2)),
    },
    {
      name: t("Scores"),
      says: t("The query with every key, divided by √{dimension}.", { dimension }),
      line: inline(
        list(answer.raw_scores[query], 2),
        "/",
        root(number(String(dimension))),
        "=",
        list(answer.scaled_scores[query], 4),
      ),
    },
    {
      name: t("Weights"),
      says: t("Softmax: shares that add up to 1."),
      line: inline(list(weights, 4)),
    },
    {
      name: t("Output"),
      says: t("Each value times its weight."),
      line: inline(small("o", names[query]), "=", list(answer.output[query], 4)),
    },
  ];
  return { formulas, steps, table: everyToken(answer, names, query) };
}

/**
 * @param {import("./state.js").ProjectionsAnswer} answer
 * @param {string[]} names
 * @param {number} chosen
 * @returns {import("../frame/concept.js").StepTable}
 */
function everyToken(answer, names, chosen) {
  const numbers = (/** @type {number[]} */ values, digits = 4) =>
    values.map((value) => fixed(value, digits)).join("  ");
  return {
    caption: t("Every token as a query"),
    columns: [
      { name: t("token"), step: 0 },
      { name: t("scores"), step: 4 },
      { name: t("weights"), step: 5 },
      { name: t("output"), step: 6 },
    ],
    rows: answer.weights.map((weights, index) => [
      names[index],
      numbers(answer.scaled_scores[index]),
      numbers(weights),
      numbers(answer.output[index]),
    ]),
    sums: ["", "", "", ""],
    chosen,
  };
}

/** @returns {Record<string, string>} */
export function roleNames() {
  return { asks: t("asks"), is_asked_for: t("is asked for"), is_read: t("is read") };
}

/** @returns {Record<string, string>} */
export function tensorNames() {
  return { queries: "Q", keys: "K", values: "V" };
}

/**
 * @param {ProjectionsData} data
 * @returns {import("../frame/concept.js").Scene}
 */
function roles({ others: [further] }) {
  const formulas = [
    formula(
      name("O"),
      "=",
      name("softmax"),
      bracket(over(row(big("Q"), sup(big("K"), transpose())), root(sub(name("d"), name("k"))))),
      big("V"),
    ),
  ];
  if (!further?.steps) return { formulas, steps: [], table: null };
  /** @type {Step[]} */
  const steps = further.steps.map((step) => ({
    name: stageNames()[step.stage],
    says: saysOf(step),
    line: inline(step.stage === "weights" ? list(step.row_sums, 4) : row(name("Δ"), "=", n(step.largest_change))),
  }));
  const table = {
    caption: t("What the exchange changes"),
    columns: [
      { name: t("stage"), step: 0 },
      { name: t("operation"), step: 0, hasMaths: true },
      { name: t("largest change"), step: 0 },
    ],
    rows: further.steps.map((step) => [
      stageNames()[step.stage],
      step.operation.replace("raw_scores", "S").replace("scaled_scores", "S′").replace("weights", "A"),
      fixed(step.largest_change, 4),
    ]),
    sums: ["", "", ""],
    chosen: -1,
  };
  return { formulas, steps, table };
}

/** @returns {Record<string, string>} */
export function stageNames() {
  return { raw_scores: t("Scores"), scaled_scores: t("Scaled"), weights: t("Weights"), output: t("Output") };
}

/** Who gets which role, and how much the exchange changes. @param {import("../../api/types.js").AnswerTo<"projections/roles">["steps"][number]} step */
function saysOf({ stage, roles: acting, largest_change: change }) {
  const said = Object.entries(acting).map(([tensor, role]) => `${tensorNames()[tensor]} ${roleNames()[role]}`);
  if (stage === "weights") return t("Every row adds up to 1, whichever tensor is where.");
  if (said.length === 0) return t("Only sizes change here; no role is assigned.");
  return change === 0
    ? t("{roles}. The exchange changes nothing here.", { roles: said.join(", ") })
    : t("{roles}. The exchange changes it by at most this much.", { roles: said.join(", ") });
}

/** @param {readonly number[]} values @param {number} digits */
function list(values, digits) {
  const terms = listed(values.slice(0, MOST_SHOWN).map((value) => n(value, digits)));
  return values.length > MOST_SHOWN ? bracket(...terms, ",", "…") : bracket(...terms);
}
