/** Exercises about the table of token vectors; the server looks the answers up in the model. */

import { TEXTS } from "./state.js";
import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { MINILM } from "../../page/model_choice.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").EmbeddingState>[]} */
export function exercises() {
  const body = (/** @type {string} */ text) => ({ model: MINILM, text, neighbours: 0 });
  return [
    {
      id: "embedding-shape",
      question: t(
        "Nine ids, shape (1, 9), are looked up in a table whose rows have 384 numbers. What is the output shape?",
      ),
      labels: [t("axis {index}", { index: 0 }), t("axis {index}", { index: 1 }), t("axis {index}", { index: 2 })],
      expected: [1, 9, 384],
      tolerance: 0,
      way: [t("Each id becomes a row: one more axis, as long as a row."), "(1, 9) → (1, 9, 384)"],
      state: {},
      ...served("embedding", body(TEXTS.cat), (answer) => answer.vectors_shape),
    },
    {
      id: "embedding-size",
      question: t("MiniLM's table has 30,522 rows of 384 numbers. How many numbers is that?"),
      labels: [t("numbers")],
      expected: [11720448],
      tolerance: 0,
      way: ["30,522 · 384 = 11,720,448"],
      ...served("embedding", body(TEXTS.cat), ({ table_shape: [rows, columns] }) => [rows * columns]),
    },
    {
      id: "embedding-cosine",
      question: t(
        "The rows of “cat” and “cats” have lengths 1.3733 and 1.2909 and the dot product 1.4453. What is their cosine?",
      ),
      labels: [t("cosine")],
      expected: [0.8153],
      tolerance: 0.001,
      way: ["1.4453 / (1.3733 · 1.2909) = 0.8153"],
      state: { text: TEXTS.animals, token: 1, other: 2 },
      ...served("embedding", body(TEXTS.animals), ({ similarity }) => [similarity[1][2]]),
    },
  ];
}
