/** Every stage of one attention as a matrix; with a second one, both and their difference. */

import { sayMaths } from "../../base/maths/maths_text.js";
import { captions } from "../../wording/stories.js";
import { drawnView } from "../frame/views.js";
import { mount } from "../../base/mount.js";
import { el, fill, need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { lowered } from "../../base/numbers.js";
import { matrixMark } from "../../charts/matrix.js";
import { difference, isRuledOut, largest, stepsBefore, transposed } from "./numbers.js";

/** @typedef {import("./numbers.js").ScoringData} ScoringData */
/** @typedef {import("../frame/concept.js").ConceptView<ScoringData>} View */
/** @typedef {import("../../charts/matrix.js").MatrixMark} MatrixMark */

/**
 * @typedef {object} Row  of matrices
 * @property {string} name  as the API names the stage
 * @property {string} title
 * @property {string} caption
 * @property {number} step  that makes it
 * @property {Partial<MatrixMark>} style
 */

/** @type {View} */
export const scoringView = drawnView((element, { set }) => {
  /** @type {((data: ScoringData) => void)[]} */
  let draws = [];
  let shape = "";

  return (data) => {
    const rows = rowsOf(data);
    const sides = data.second ? ["first", "second", "difference"] : ["first"];
    const wanted = `${sides} ${rows.map((row) => row.name)}`;
    if (wanted !== shape) {
      shape = wanted;
      element.classList.toggle("is-double", sides.length > 1);
      const stages = rows.map((row) => createStage(row.name, sides, set));
      draws = stages.map((stage) => stage.draw);
      fill(element, ...stages.map((stage) => stage.section));
    }
    for (const draw of draws) draw(data);
  };
});

/**
 * One stage: its title, and a matrix for each side.
 * @param {string} name
 * @param {string[]} sides
 * @param {(patch: {query?: number, key?: number}, origin: string) => void} set
 */
function createStage(name, sides, set) {
  const [title, caption] = [el("h3", { class: "stage-title" }), el("p", { class: "stage-caption note" })];
  const onPick = (/** @type {{row: number, column: number}} */ { row, column }) =>
    set(isScores(name) ? { query: row, key: column } : name === "keys" ? { key: row } : { query: row }, "switch");
  const figures = sides.map((side) => {
    const [said, place] = [el("figcaption", { class: "note" }), el("div", { class: "stage-picture" })];
    const figure = el("figure", { class: "stage-figure", "data-side": side }, sides.length > 1 ? said : null, place);
    return { side, said, figure, show: mount(place, matrixMark, { onPick }) };
  });
  const line = el("div", { class: "stage-row" }, ...figures.map(({ figure }) => figure));
  const section = el("section", { class: "stage", "data-stage": name }, title, caption, line);

  /** @param {ScoringData} data */
  function draw(data) {
    const { step } = data.state;
    const row = /** @type {Row} */ (rowsOf(data).find((row) => row.name === name));
    section.classList.toggle("is-later", row.step > step);
    section.classList.toggle("is-now", row.step === step);
    // What a picture file holds: with one computation all of its stages, with two the stage of this step.
    section.classList.toggle("is-picture", data.second ? row.step === step : row.step <= step);
    title.textContent = row.title;
    sayMaths(caption, row.caption);
    for (const { side, said, show } of figures) {
      said.textContent = sideSays(row, side, data);
      show(markOf(row, side, data));
    }
  }
  return { section, draw };
}

/** @param {string} side */
function sideName(side) {
  if (side === "second") return /** @type {HTMLSelectElement} */ (need(document, "#beside")).selectedOptions[0]?.text;
  return side === "first" ? t("chosen above") : t("difference: second − first");
}

/**
 * What a side is; of weights also what adds up to 1, where the sides differ in that.
 * @param {Row} row
 * @param {string} side
 * @param {ScoringData} data
 */
function sideSays({ name: stage }, side, { state, first }) {
  const named = sideName(side);
  if (stage !== "weights" || state.beside !== "wrong_axis" || side === "difference") return named;
  const lines = side === "first" ? first.masked_scores : transposed(first.masked_scores);
  const hasEmpty = lines.some(isRuledOut);
  const [rows, columns] = hasEmpty
    ? [
        t("each row adds up to 1, or is 0 where all is masked"),
        t("each column adds up to 1, or is 0 where all is masked"),
      ]
    : [t("each row adds up to 1"), t("each column adds up to 1")];
  return `${named}: ${side === "first" ? rows : columns}`;
}

/** @param {string} stage  whether its rows are queries and its columns keys */
function isScores(stage) {
  return !["queries", "keys", "output"].includes(stage);
}

/**
 * @param {ScoringData} data
 * @returns {Row[]}
 */
function rowsOf({ state, first, second }) {
  const told = captions(state.story);
  const has = (/** @type {"bias" | "mask"} */ name) => first[name] !== null || (second?.[name] ?? null) !== null;
  const signed = { scale: /** @type {const} */ ("signed") };
  const rows = [
    ...(state.position === "rope"
      ? [
          { name: "queries", title: t("Queries, rotated by their positions"), caption: "", step: 1, style: signed },
          { name: "keys", title: t("Keys, rotated by their positions"), caption: "", step: 1, style: signed },
        ]
      : []),
    { name: "raw_scores", title: t("Raw scores"), caption: told.raw_scores, step: 1, style: signed },
    {
      name: "scaled_scores",
      title: t("Scaled scores"),
      caption: t("Divided: by √d under scaled dot, by the temperature"),
      step: 2,
      style: signed,
    },
    ...(has("bias")
      ? [{ name: "bias", title: t("Bias"), caption: t("Added to the scaled scores"), step: 3, style: signed }]
      : []),
    ...(has("mask")
      ? [
          {
            name: "mask",
            title: t("Mask"),
            caption: t("Also added: 0 where attention is allowed"),
            step: 3,
            style: { digits: 0 },
          },
        ]
      : []),
    ...(has("bias") || has("mask")
      ? [{ name: "masked_scores", title: t("Masked scores"), caption: told.masked_scores, step: 3, style: signed }]
      : []),
    {
      name: "weights",
      title: t("Weights"),
      caption:
        second && state.beside === "wrong_axis"
          ? t("Normalised, but not along the same axis")
          : weightsSay(told.weights, first),
      step: 4,
      style: { scale: /** @type {const} */ ("weight"), most: 1, digits: 4 },
    },
    { name: "output", title: t("Output"), caption: told.output, step: 5, style: { ...signed, digits: 3 } },
  ];
  const before = stepsBefore(state);
  return rows.map((row) => ({ ...row, step: row.step + before }));
}

/**
 * @param {string} told
 * @param {import("./numbers.js").Traced} numbers
 */
function weightsSay(told, numbers) {
  const queries = numbers.masked_scores.flatMap((scores, index) => (isRuledOut(scores) ? [`q${lowered(index)}`] : []));
  return queries.length > 0
    ? t("Each row adds up to 1, but for what may attend to nothing: {queries} stays 0", { queries: queries.join(", ") })
    : told;
}

/**
 * @param {Row} row
 * @param {string} side
 * @param {ScoringData} data
 * @returns {MatrixMark}
 */
function markOf(row, side, { state: { query, key }, first, second }) {
  const name = /** @type {"raw_scores"} */ (row.name);
  const zero = first.raw_scores.map((line) => line.map(() => 0));
  const ours = first[name] ?? zero;
  const other = second ? (second[name] ?? zero) : ours;
  const values = side === "first" ? ours : side === "second" ? other : difference(ours, other);
  const isKeys = row.name === "keys";
  const isPair = isScores(row.name);
  const rowRole = isKeys ? "key" : "query";
  const most =
    side === "difference" ? largest(values) : row.style.scale === "signed" ? largest(ours, other) : undefined;
  return {
    title: [row.title, side === "difference" && t("difference: second − first")].filter(Boolean).join(", "),
    values,
    rows: values.map((_, index) => `${row.name === "output" ? "o" : isKeys ? "k" : "q"}${lowered(index)}`),
    columns: values[0].map((_, index) => (isPair ? `k${lowered(index)}` : String(index))),
    rowRole: row.name === "output" ? "value" : rowRole,
    columnRole: isPair ? "key" : "",
    axes: isPair && side === "first" ? t("query ↓ attends to key →") : "",
    ...row.style,
    ...(side === "difference" ? { scale: "signed" } : {}),
    ...(most === undefined ? {} : { most }),
    chosen: isPair ? { row: query, column: key } : { row: isKeys ? key : query, column: -1 },
  };
}
