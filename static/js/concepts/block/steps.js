/** The block's equations, and every step with the one number looked at. */

import { isAttention, SIGNS, stationName, stepName } from "./names.js";
import { nonNull } from "../../base/non_null.js";
import { t } from "../../base/i18n.js";
import { bracket, formula, inline, name, number, over, root, row, sub } from "../../base/maths/mathml.js";
import { exact, fixed, small } from "../../base/numbers.js";

/** @typedef {import("./state.js").BlockStation} BlockStation */

/** Rows of the table. */
const ROWS = 8;

/** @param {number} value  enough digits for any size */
const said = (value) => (Math.abs(value) >= 100 ? fixed(value, 2) : exact(value));
/** @param {number} value */
const n = (value) => number(said(value));
/** @param {number} value */
const signed = (value) => (value < 0 ? bracket(n(value)) : n(value));
/** @param {number} value */
const tidy = (value) => (value === 0 ? "0" : small(value));

/** The equations of the three orders, in letters. @param {"pre" | "post" | "parallel"} order */
function generalFormulas(order) {
  const x = name("x");
  const [y, z] = [name("y"), name("z")];
  const attention = (/** @type {Element} */ inside) => row(name("Attn"), bracket(inside));
  const feed = (/** @type {Element} */ inside) => row(name("FFN"), bracket(inside));
  const norm = (/** @type {Element} */ inside) => row(name("norm"), bracket(inside));
  if (order === "post") {
    return [
      formula(y, "=", norm(row(x, "+", attention(name("x"))))),
      formula(z, "=", norm(row(name("y"), "+", feed(name("y"))))),
    ];
  }
  if (order === "parallel") {
    return [formula(z, "=", x, "+", attention(norm(name("x"))), "+", feed(norm(name("x"))))];
  }
  return [formula(y, "=", x, "+", attention(norm(name("x")))), formula(z, "=", name("y"), "+", feed(norm(name("y"))))];
}

/**
 * The residual sums with the chosen component.
 * @param {import("./state.js").BlockAnswer} answer
 * @param {number} index
 */
function currentFormula(answer, index) {
  const stations = stationsOf(answer);
  const sums = answer.stations.filter((station) => station.made_by === "add");
  return formula(
    ...sums.flatMap((sum, place) => [
      ...(place > 0 ? [","] : []),
      signOf(sum.name, index),
      "=",
      ...sum.made_of.flatMap((source, term) => [
        ...(term > 0 ? ["+"] : []),
        term > 0 ? signed(stations[source].vector[index]) : n(stations[source].vector[index]),
      ]),
      "=",
      n(sum.vector[index]),
    ]),
  );
}

/**
 * @param {import("./state.js").BlockData} data
 * @returns {import("../frame/concept.js").Scene}
 */
export function calculation({ state: { number: index }, answer }) {
  return {
    formulas: [...generalFormulas(answer.order), currentFormula(answer, index)],
    steps: stepsOf(answer, index),
    table: blockTable(answer, index),
  };
}

/**
 * @param {import("./state.js").BlockAnswer} answer
 * @param {number} index
 * @returns {import("../frame/concept.js").Step[]}
 */
function stepsOf(answer, index) {
  return answer.stations.map((station) => ({
    name: station.name === "outputs" && station.made_by === "norm" ? t("Norm") : stepNameOf(station),
    says: saysOf(station, answer),
    line: lineOf(station, answer, index),
  }));
}

/** @param {BlockStation} station */
function stepNameOf({ name: station, made_by }) {
  return made_by === "norm" ? t("Norm") : stepName(station);
}

/**
 * @param {BlockStation} station
 * @param {import("./state.js").BlockAnswer} answer
 */
function saysOf({ name: station, made_by, vector }, answer) {
  const check = answer.checks.find((check) => check.name === station);
  const difference = tidy(check?.difference ?? 0);
  const again = t("Recomputed, it differs by at most {difference}.", { difference });
  const apart = check ? ` ${again}` : "";
  if (station === "inputs") {
    return answer.layer === 0
      ? t("The token's row of the embedding table, plus its position, is the input of the first block.")
      : t("The output of block {layer}.", { layer: answer.layer - 1 });
  }
  if (station === "head_outputs") {
    return (
      t(
        "Each head mixes the values of the tokens it attends to; the head outputs are concatenated to {count} numbers.",
        {
          count: vector.length,
        },
      ) + apart
    );
  }
  if (station === "feed_forward_hidden") {
    return t("Each token on its own: expanded to {count} numbers and passed through a nonlinearity.", {
      count: vector.length,
    });
  }
  if (made_by === "project") {
    return (
      (isAttention(station)
        ? t("The output matrix W_O mixes the heads into one vector: this is what attention adds.")
        : t("Projected back to the width of the stream: this is what the feed-forward layer adds.")) + apart
    );
  }
  if (made_by === "norm") {
    const norm = normOf(answer, station);
    if (norm.kind === "none") return t("This block has no norm here.") + apart;
    return (
      (norm.kind === "layer"
        ? t("Layer norm: mean 0, variance 1, then a learned scale and shift for each component.")
        : t("RMS norm: divided by the root mean square, then a learned scale for each component.")) + apart
    );
  }
  return t("The residual connection: an element-wise sum, nothing is lost.") + apart;
}

/**
 * @param {BlockStation} station
 * @param {import("./state.js").BlockAnswer} answer
 * @param {number} index
 * @returns {Element}
 */
function lineOf(station, answer, index) {
  const stations = stationsOf(answer);
  const value = station.vector[index];
  const sign = signOf(station.name, index);
  if (station.name === "inputs") {
    if (answer.layer > 0) return inline(sign, "=", n(value));
    const parts = answer.embedding.filter((station) => /_embedding$/.test(station.name));
    const isNormed = answer.embedding.some((station) => station.name === "embedding_sum");
    const sum = parts.flatMap((part, place) => [
      ...(place > 0 ? ["+"] : []),
      place > 0 ? signed(part.vector[index]) : n(part.vector[index]),
    ]);
    return inline(sign, "=", ...(isNormed ? [name("norm"), bracket(...sum)] : sum), "=", n(value));
  }
  if (station.made_by === "add") {
    const terms = station.made_of.flatMap((source, place) => [
      ...(place > 0 ? ["+"] : []),
      place > 0 ? signed(stations[source].vector[index]) : n(stations[source].vector[index]),
    ]);
    return inline(sign, "=", ...terms, "=", n(value));
  }
  const norm = station.made_by === "norm" ? normOf(answer, station.name) : null;
  if (norm === null || norm.kind === "none") return inline(sign, "=", n(value));
  const source = stations[norm.source].vector[index];
  const above = norm.kind === "layer" ? row(n(source), "−", signed(norm.mean)) : n(source);
  const under = root(row(n(norm.spread), "+", number(small(norm.epsilon))));
  const scale = norm.scale ? ["·", signed(norm.scale[index])] : [];
  const shift = norm.shift ? ["+", signed(norm.shift[index])] : [];
  return inline(sign, "=", over(above, under), ...scale, ...shift, "=", n(value));
}

/**
 * A few components of the stream and of what is added to it; the last row is the length of the whole vector.
 * @param {import("./state.js").BlockAnswer} answer
 * @param {number} index
 * @returns {import("../frame/concept.js").StepTable}
 */
function blockTable(answer, index) {
  const width = answer.stations[0].vector.length;
  const first = Math.min(Math.floor(index / ROWS) * ROWS, Math.max(width - ROWS, 0));
  const columns = answer.stations.flatMap((station, place) =>
    station.name in SIGNS ? [{ station, step: place + 1 }] : [],
  );
  const numbers = Array.from({ length: Math.min(ROWS, width) }, (_, place) => first + place);
  return {
    caption: t("The residual stream, and what is added to it"),
    columns: [
      { name: t("number"), step: 0 },
      ...columns.map(({ station, step }) => ({
        name: `${SIGNS[station.name]}: ${stationName(station.name)}`,
        step,
      })),
    ],
    rows: numbers.map((axis) => [String(axis), ...columns.map(({ station }) => said(station.vector[axis]))]),
    sums: [t("length of all {count}", { count: width }), ...columns.map(({ station }) => said(station.norm))],
    chosen: index - first,
  };
}

/** @param {import("./state.js").BlockAnswer} answer @returns {Record<string, BlockStation>} */
function stationsOf(answer) {
  return Object.fromEntries(answer.stations.map((station) => [station.name, station]));
}

/** @param {import("./state.js").BlockAnswer} answer @param {string} station */
function normOf(answer, station) {
  return nonNull(answer.norms.find((norm) => norm.name === station));
}

/** @param {string} station @param {number} index */
function signOf(station, index) {
  return sub(name(SIGNS[station] ?? (station === "head_outputs" ? "o" : "h")), number(String(index)));
}
