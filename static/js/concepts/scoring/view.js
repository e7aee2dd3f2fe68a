/** Every stage of one attention as a matrix; with a second one, both and their difference. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { below } from "../../charts/matrix_input.js";
import { matrixMark } from "../../charts/matrix.js";
import { difference, largest } from "./numbers.js";

/** @typedef {import("./numbers.js").Traced} Traced */
/** @typedef {import("../../charts/matrix.js").MatrixMark} MatrixMark */

/**
 * @typedef {object} ScoringScene
 * @property {Traced} first
 * @property {Traced | null} second
 * @property {string} secondName
 * @property {Record<string, string>} captions
 * @property {number} query
 * @property {number} key
 * @property {number} step  stages of later steps are not shown yet
 * @property {boolean} isTurned  whether positions turned queries and keys
 */

/**
 * @typedef {object} Row  of matrices
 * @property {string} name  as the API names the stage
 * @property {string} title
 * @property {string} caption
 * @property {number} step  that makes it
 * @property {Partial<MatrixMark>} style
 */

/**
 * @param {HTMLElement} element
 * @param {ScoringScene} data
 * @param {{onPick: (at: {query?: number, key?: number}) => void}} options
 * @returns {import("../../api/types.js").View<ScoringScene>}
 */
export function scoringView(element, data, { onPick }) {
  /** @type {Map<string, import("../../api/types.js").View<MatrixMark>>} */
  let marks = new Map();
  let shape = "";

  /** @param {ScoringScene} scene */
  function draw(scene) {
    const rows = rowsOf(scene);
    const sides = scene.second ? ["first", "second", "difference"] : ["first"];
    const wanted = `${sides} ${rows.map((row) => row.name)}`;
    if (wanted !== shape) build(rows, sides);
    shape = wanted;
    for (const row of rows) {
      const place = element.querySelector(`[data-stage="${row.name}"]`);
      place?.classList.toggle("is-later", row.step > scene.step);
      place?.classList.toggle("is-now", row.step === scene.step);
      // What a picture file holds: with one computation all of its stages, with two the stage of this step.
      place?.classList.toggle("is-picture", scene.second ? row.step === scene.step : row.step <= scene.step);
      const [title, caption] = place?.querySelectorAll(".stage-title, .stage-caption") ?? [];
      if (title) title.textContent = row.title;
      if (caption) caption.textContent = row.caption;
      for (const side of sides) draw1(row, side, scene);
    }
    for (const name of element.querySelectorAll("[data-side=second] figcaption")) name.textContent = scene.secondName;
  }

  /**
   * @param {Row} row
   * @param {string} side
   * @param {ScoringScene} scene
   */
  function draw1(row, side, scene) {
    const key = `${row.name} ${side}`;
    const place = element.querySelector(`[data-stage="${row.name}"] [data-side=${side}] .stage-picture`);
    if (!(place instanceof HTMLElement)) return;
    const mark = markOf(row, side, scene);
    const isScores = !["queries", "keys", "output"].includes(row.name);
    const pick = (/** @type {{row: number, column: number}} */ at) =>
      onPick(isScores ? { query: at.row, key: at.column } : row.name === "keys" ? { key: at.row } : { query: at.row });
    const there = marks.get(key);
    if (there) there.update(mark);
    else marks.set(key, matrixMark(place, mark, { onPick: pick }));
  }

  /**
   * @param {Row[]} rows
   * @param {string[]} sides
   */
  function build(rows, sides) {
    for (const mark of marks.values()) mark.destroy();
    marks = new Map();
    /** @type {Record<string, string>} */
    const names = { first: t("chosen above"), second: "", difference: t("difference: second − first") };
    const figure = (/** @type {string} */ side) =>
      el(
        "figure",
        { class: "stage-figure", "data-side": side },
        sides.length > 1 ? el("figcaption", { class: "note" }, names[side]) : null,
        el("div", { class: "stage-picture" }),
      );
    const stage = (/** @type {Row} */ { name }) =>
      el(
        "section",
        { class: "stage", "data-stage": name },
        el("h3", { class: "stage-title" }),
        el("p", { class: "stage-caption note" }),
        el("div", { class: "stage-row" }, ...sides.map(figure)),
      );
    element.classList.toggle("is-double", sides.length > 1);
    fill(element, ...rows.map(stage));
  }

  draw(data);
  return {
    update: draw,
    destroy() {
      element.replaceChildren();
    },
  };
}

/**
 * @param {ScoringScene} scene
 * @returns {Row[]}
 */
function rowsOf({ first, second, captions, isTurned }) {
  const has = (/** @type {"bias" | "mask"} */ name) => first[name] !== null || (second?.[name] ?? null) !== null;
  const signed = { scale: /** @type {const} */ ("signed") };
  const rows = [
    ...(isTurned
      ? [
          { name: "queries", title: t("Queries, turned by their positions"), caption: "", step: 1, style: signed },
          { name: "keys", title: t("Keys, turned by their positions"), caption: "", step: 1, style: signed },
        ]
      : []),
    { name: "raw_scores", title: t("Raw scores"), caption: captions.raw_scores, step: 1, style: signed },
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
            caption: t("Added too: 0 where reading is allowed"),
            step: 3,
            style: { digits: 0 },
          },
        ]
      : []),
    ...(has("bias") || has("mask")
      ? [{ name: "masked_scores", title: t("Masked scores"), caption: captions.masked_scores, step: 3, style: signed }]
      : []),
    {
      name: "weights",
      title: t("Weights"),
      caption: captions.weights,
      step: 4,
      style: { scale: /** @type {const} */ ("weight"), most: 1, digits: 4 },
    },
    { name: "output", title: t("Output"), caption: captions.output, step: 5, style: { ...signed, digits: 3 } },
  ];
  return rows;
}

/**
 * Few numbers are drawn large, to be read from the last row.
 * @param {number} keys
 * @param {boolean} isDouble
 */
function sizeOf(keys, isDouble) {
  if (keys > 6) return 1;
  return isDouble ? 1.2 : 1.5;
}

/**
 * @param {Row} row
 * @param {string} side
 * @param {ScoringScene} scene
 * @returns {MatrixMark}
 */
function markOf(row, side, { first, second, query, key }) {
  const name = /** @type {"raw_scores"} */ (row.name);
  const zero = first.raw_scores.map((line) => line.map(() => 0));
  const one = first[name] ?? zero;
  const other = second ? (second[name] ?? zero) : one;
  const values = side === "first" ? one : side === "second" ? other : difference(one, other);
  const isKeys = row.name === "keys";
  const isScores = !["queries", "keys", "output"].includes(row.name);
  const rowRole = isKeys ? "key" : "query";
  const most = side === "difference" ? largest(values) : row.style.scale === "signed" ? largest(one, other) : undefined;
  return {
    title: [row.title, side === "difference" && t("difference: second − first")].filter(Boolean).join(", "),
    values,
    rows: values.map((_, index) => `${row.name === "output" ? "o" : isKeys ? "k" : "q"}${below(index)}`),
    columns: values[0].map((_, index) => (isScores ? `k${below(index)}` : String(index))),
    rowRole: row.name === "output" ? "value" : rowRole,
    columnRole: isScores ? "key" : "",
    axes: isScores && side === "first" ? t("query ↓ reads from key →") : "",
    ...row.style,
    size: sizeOf(first.weights[0].length, second !== null),
    ...(side === "difference" ? { scale: /** @type {const} */ ("signed") } : {}),
    ...(most === undefined ? {} : { most }),
    chosen: isScores ? { row: query, column: key } : { row: isKeys ? key : query, column: -1 },
  };
}
