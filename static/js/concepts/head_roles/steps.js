/** From the weights of one sentence to the share found in all, and what is left of it above a fixed offset. */

import { bracket, formula, inline, mathml, name, number, over, row, sub, sum } from "../../base/maths/mathml.js";
import {
  bestDirections,
  chosenRelation,
  keyOf,
  placeOf,
  queryOf,
  RELATION,
  rightOf,
  shownOf,
  strongestOf,
  valuesOf,
} from "./state.js";
import { fixed } from "../../base/numbers.js";
import { n, whole } from "../../base/maths/formula_terms.js";
import { offsetSays } from "./words.js";
import { relationNames } from "./names.js";
import { t } from "../../base/i18n.js";
import { headCode } from "../../wording/labels.js";

/** @typedef {import("./state.js").RolesData} RolesData */
/** @typedef {import("../frame/concept.js").Scene} Scene */

const text = (/** @type {string} */ said) => mathml("mtext", {}, said);
/** A weight from one word or token to another. @param {string} letter @param {string} from @param {string} to */
const weight = (letter, from, to) => sub(name(letter), row(text(from), "→", text(to)));

/** @param {RolesData} data @returns {Scene} */
export function calculation(data) {
  return data.state.role === RELATION ? relation(data) : mean(data);
}

/** What one word gives another, by their tokens. */
function wordWeight() {
  return formula(
    weight("a", "v", "w"),
    "=",
    over(number("1"), row("|", name("v"), "|")),
    sum(row(name("i"), "∈", name("v"))),
    sum(row(name("j"), "∈", name("w"))),
    sub(name("α"), row(name("i"), name("j"))),
  );
}

/** @param {RolesData} data @returns {Scene} */
function relation(data) {
  const relation = chosenRelation(data);
  const { layer, head } = placeOf(data);
  const { units, weights } = shownOf(data);
  const [query, right, strongest] = [queryOf(data), rightOf(data), strongestOf(data)];
  const share = relation.found[layer][head];
  const hits = Math.round(share * relation.count);
  const near = Math.round(relation.baseline * relation.count);
  const key = right ?? strongest;
  return {
    formulas: [wordWeight()],
    steps: [
      {
        name: t("Words"),
        says: t(
          "Weights are summed over the tokens of the word that is attended to, and averaged over those of the word that attends.",
        ),
        line: inline(weight("a", units[query], units[key]), "=", n(weights[query][key])),
      },
      {
        name: t("Strongest word"),
        says:
          right === null
            ? t("This word has no partner in this relation.")
            : t("Found, if no other word gets more. The word itself and special tokens do not count."),
        line: inline(
          sub(name("max"), name("w")),
          weight("a", units[query], "w"),
          "=",
          weight("a", units[query], units[strongest]),
          "=",
          n(weights[query][strongest]),
        ),
      },
      {
        name: t("All pairs"),
        says: t("How many of the {count} pairs this head finds.", { count: relation.count }),
        line: inline(over(whole(hits), whole(relation.count)), "=", n(share)),
      },
      {
        name: t("Fixed offset"),
        says: t("How many are right who always take {offset}. Chosen on the other half of the sentences.", {
          offset: offsetSays(relation.offset),
        }),
        line: inline(over(whole(near), whole(relation.count)), "=", n(relation.baseline)),
      },
      {
        name: t("Above it"),
        says: t("What the head finds beyond a fixed distance. Only this says something about grammar."),
        line: inline(n(share), "−", n(relation.baseline), "=", n(tidy(share - relation.baseline))),
      },
    ],
    table: tableOf(data),
  };
}

/** Without a minus sign if it rounds to 0. @param {number} value */
const tidy = (value) => (Math.abs(value) < 5e-5 ? 0 : value);

/** @param {RolesData} data @returns {import("../frame/concept.js").StepTable} */
function tableOf(data) {
  const relations = bestDirections(data);
  const { layer, head } = placeOf(data);
  return {
    caption: t("Every relation"),
    columns: [
      { name: t("relation"), step: 0 },
      { name: t("word pairs"), step: 0 },
      { name: t("this head"), step: 3 },
      { name: t("best head"), step: 3 },
      { name: t("best fixed offset"), step: 4 },
      { name: t("best head, above it"), step: 5 },
    ],
    rows: relations.map((relation) => [
      relationNames(relation),
      String(relation.count),
      fixed(relation.found[layer][head], 2),
      `${headCode(relation.best.layer, relation.best.head, 0)}: ${fixed(relation.best.value, 2)}`,
      `${offsetSays(relation.offset)}: ${fixed(relation.baseline, 2)}`,
      fixed(tidy(relation.best.value - relation.baseline), 2),
    ]),
    sums: ["", "", "", "", "", ""],
    chosen: relations.findIndex((relation) => keyOf(relation) === data.state.relation),
  };
}

/** @param {RolesData} data @returns {Scene} */
function mean(data) {
  const { answer } = data;
  const { layer, head } = placeOf(data);
  const { units, weights } = shownOf(data);
  const [query, right] = [queryOf(data), rightOf(data)];
  const key = right ?? strongestOf(data);
  const values = valuesOf(data);
  const value = values[layer][head];
  const sorted = values.flat().sort((a, b) => a - b);
  const middle = (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2;
  const index = () => row(name("i"), name("r"), bracket(name("i")));
  return {
    formulas: [
      formula(
        mathml("mover", {}, name("α"), mathml("mo", {}, "¯")),
        "=",
        over(number("1"), name("n")),
        sum(name("i")),
        sub(name("α"), index()),
      ),
    ],
    steps: [
      {
        name: t("One token"),
        says: t("What this token gives to the one that the role is about."),
        line: inline(weight("α", units[query], units[key]), "=", n(weights[query][key])),
      },
      {
        name: t("All tokens"),
        says: t("The mean over all {count} tokens that have such a key.", { count: answer.tokens }),
        line: inline(mathml("mover", {}, name("α"), mathml("mo", {}, "¯")), "=", n(value)),
      },
      {
        name: t("The other heads"),
        says: t("Half of all heads give less than this."),
        line: inline(name("median"), "=", n(middle)),
      },
      {
        name: t("Over half"),
        says: t("A head stands out here if it gives over half of its attention, as in Clark et al. (2019)."),
        line: inline(n(value), value > answer.stands_out ? ">" : "≤", n(answer.stands_out)),
      },
    ],
    table: null,
  };
}
