/** From an id to its row, and from two rows to their cosine, with the numbers of the model. */

import { t } from "../../base/i18n.js";
import { tokenLabel } from "../../wording/labels.js";
import {
  bracket,
  formula,
  inline,
  mathml,
  name,
  number,
  over,
  row,
  size,
  sub,
  sup,
  vector,
} from "../../base/maths/mathml.js";
import { fixed, grouped } from "../../base/numbers.js";
import { listed, n, whole } from "../../base/maths/formula_terms.js";

/** @typedef {import("./state.js").EmbeddingData} EmbeddingData */

/** So many numbers of a row are written. */
const FIRST = 4;

/** @param {string} label */
const e = (label) => sub(vector("e"), mathml("mtext", {}, label));

/** A token's row, and the cosine with another's. @param {EmbeddingData} data */
function formulas({ state: { token, other }, answer }) {
  const [label, second] = [answer.tokens[token], answer.tokens[other]].map(tokenLabel);
  return [
    formula(
      e(label),
      "=",
      name("E"),
      row("[", number(String(answer.tokens[token].id)), "]"),
      "∈",
      sup(name("ℝ"), number(String(answer.table_shape[1]))),
    ),
    formula(
      name("cos"),
      "=",
      over(row(e(label), "·", e(second)), row(size(e(label)), size(e(second)))),
      "=",
      n(answer.similarity[token][other]),
    ),
  ];
}

/**
 * @param {EmbeddingData} data
 * @returns {import("../frame/concept.js").Scene}
 */
export function calculation(data) {
  const { answer } = data;
  const { token, other } = data.state;
  const [firstToken, secondToken] = [answer.tokens[token], answer.tokens[other]];
  const [label, second] = [tokenLabel(firstToken), tokenLabel(secondToken)];
  const [rows, dimensions] = answer.table_shape;
  const cosine = answer.similarity[token][other];
  const [long, wide] = [answer.norms[token], answer.norms[other]];
  const numbers = answer.vectors[token].slice(0, FIRST).map((value) => n(value));
  const steps = [
    {
      name: t("Id"),
      says: t("“{token}” is in the vocabulary and has a number.", { token: label }),
      line: inline(mathml("mtext", {}, label), "→", number(String(firstToken.id))),
    },
    {
      name: t("Row"),
      says: t("The id picks one row of the table, {rows} × {dimensions}. Nothing is computed.", {
        rows: grouped(rows),
        dimensions,
      }),
      line: inline(e(label), "=", bracket(...listed(numbers), ",", "…")),
    },
    {
      name: t("Shape"),
      says: t("Every id of the text becomes a row: one more axis."),
      line: inline(shape(answer.ids_shape), "→", shape(answer.vectors_shape)),
    },
    {
      name: t("Different numbers"),
      says: t("One id in, a whole row out: the number of distinct values in it."),
      line: inline(whole(answer.distinct[token]), "/", whole(dimensions)),
    },
    {
      name: t("Cosine"),
      says: t("Of “{token}” and “{other}”: their dot product divided by both lengths.", {
        token: label,
        other: second,
      }),
      line: inline(over(n(cosine * long * wide), row(n(long), "·", n(wide))), "=", n(cosine)),
    },
  ];
  return { formulas: formulas(data), steps, table: everyToken(answer, { token, other }) };
}

/**
 * @param {import("./state.js").EmbeddingAnswer} answer
 * @param {{token: number, other: number}} at
 * @returns {import("../frame/concept.js").StepTable}
 */
function everyToken(answer, { token }) {
  const label = tokenLabel(answer.tokens[token]);
  return {
    caption: t("Every token of the text"),
    columns: [
      { name: t("token"), step: 0 },
      { name: t("id"), step: 1 },
      { name: t("first numbers of its row"), step: 2 },
      { name: t("length of the row"), step: 5 },
      { name: t("cosine with “{token}”", { token: label }), step: 5 },
    ],
    rows: answer.tokens.map((entry, index) => [
      tokenLabel(entry),
      String(entry.id),
      `${answer.vectors[index]
        .slice(0, FIRST)
        .map((value) => fixed(value, 3))
        .join("  ")} …`,
      fixed(answer.norms[index], 4),
      fixed(answer.similarity[index][token], 4),
    ]),
    sums: ["", "", "", "", ""],
    chosen: token,
  };
}

/** @param {number[]} sizes */
function shape(sizes) {
  return bracket(...listed(sizes.map(whole)));
}
