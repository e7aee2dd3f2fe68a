/** Exercises about the table of token vectors; the server looks the answers up in the model. */

import { TEXTS } from "./state.js";
import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { dotProductItself, lengthsAdded, oneLength } from "../../wording/slips.js";
import { rounded } from "../../base/numbers.js";
import { MINILM } from "../../wording/model_names.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").EmbeddingState>[]} */
export function exercises() {
  const body = (/** @type {string} */ text) => ({ model: MINILM, text, neighbours: 0 });
  const ids = [1, 9];
  const table = [30522, 384];
  const [cat, cats, product] = [1.3733, 1.2909, 1.4453];
  return [
    {
      id: "embedding-shape",
      question: t(
        "Nine ids, shape (1, 9), are looked up in a table whose rows have 384 numbers. What is the output shape?",
      ),
      labels: [t("axis {index}", { index: 0 }), t("axis {index}", { index: 1 }), t("axis {index}", { index: 2 })],
      expected: [...ids, table[1]],
      tolerance: 0,
      slips: [
        {
          values: [ids[0], table[1], ids[1]],
          says: t("The new axis comes last: behind each id stand the numbers of its row."),
        },
        {
          values: [ids[1], table[1], null],
          says: t("The first axis of (1, 9) is missing: every axis of the ids stays."),
        },
        {
          values: [null, null, table[0]],
          says: t("That is how many rows the table has: the new axis is as long as one row."),
        },
      ],
      way: [t("Each id becomes a row: one more axis, as long as a row."), "(1, 9) → (1, 9, 384)"],
      state: {},
      ...served("embedding", body(TEXTS.cat), (answer) => answer.vectors_shape),
    },
    {
      id: "embedding-size",
      question: t("MiniLM's table has 30,522 rows of 384 numbers. How many numbers is that?"),
      labels: [t("numbers")],
      expected: [table[0] * table[1]],
      tolerance: 0,
      slips: [
        {
          values: [table[0] + table[1]],
          says: t("That adds rows and columns: each row has all the columns, so multiply."),
        },
        {
          values: [ids[1] * table[1]],
          says: t("Those are the numbers of the nine rows looked up: the table has all the others too."),
        },
        {
          values: [table[0] * table[1] * 4],
          says: t("That counts bytes, 4 for each number: count the numbers."),
        },
      ],
      way: ["30,522 · 384 = 11,720,448"],
      ...served("embedding", body(TEXTS.cat), ({ table_shape: [rows, columns] }) => [rows * columns]),
    },
    {
      id: "embedding-cosine",
      question: t(
        "The rows of “cat” and “cats” have lengths 1.3733 and 1.2909 and the dot product 1.4453. What is their cosine?",
      ),
      labels: [t("cosine")],
      expected: [rounded(product / (cat * cats), 4)],
      tolerance: 0.001,
      slips: [
        { values: [product], says: dotProductItself() },
        ...[cat, cats].map((length) => ({ values: [product / length], says: oneLength() })),
        { values: [product / (cat + cats)], says: lengthsAdded() },
      ],
      way: ["1.4453 / (1.3733 · 1.2909) = 0.8153"],
      state: { text: TEXTS.animals, token: 1, other: 2 },
      ...served("embedding", body(TEXTS.animals), ({ similarity }) => [similarity[1][2]]),
    },
  ];
}
