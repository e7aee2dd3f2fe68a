/** A decoder's block: the way of queries, keys and values through its stations, and the numbers at one of them. */

import { matricesOf } from "./station_values.js";
import { shapesOf } from "./shapes.js";
import { stationName } from "./names.js";
import { ADDED, chosenIn, stationsOf } from "./state.js";
import { drawnView, factsView, queriesByKeys } from "../frame/views.js";
import { grouped, small } from "../../base/numbers.js";
import { el, fill, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { fittedView } from "../../charts/axes.js";
import { matrixMark } from "../../charts/matrix.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("../frame/concept.js").ConceptView<import("./state.js").DecoderData>} View */

/** @typedef {import("./state.js").Station} Station */

/** Width from which names stand beside the boxes, below it above them; and widths of the picture, in pixels. */
const [WIDE, WIDTHS] = [520, { least: 300, most: 720 }];
const HEAD = 22;
/** Height of a station's matrix, in pixels, at which its rows stop growing. */
const MATRIX = 140;

/**
 * @typedef {object} Sizes
 * @property {number} width
 * @property {number} row  height
 * @property {number} box  height
 * @property {number} above  height of a name above its boxes; 0: it stands beside them
 * @property {number[]} lanes  middles of those of queries, keys and values
 * @property {number} half  of a box in one
 */

/** @param {number} width @returns {Sizes} */
function sizesOf(width) {
  const isWide = width >= WIDE;
  const names = isWide ? 208 : 0;
  const lane = (width - names) / 3;
  const lanes = [0, 1, 2].map((index) => names + (index + 0.5) * lane);
  return { width, lanes, half: lane / 2 - 6, above: isWide ? 0 : 16, row: isWide ? 31 : 50, box: isWide ? 24 : 22 };
}

/** Which lanes a station works on. @type {Record<Station, number[]>} */
const ON = {
  norm: [0, 1, 2],
  project: [0, 1, 2],
  heads: [0, 1, 2],
  value_embedding: [2],
  rope: [0, 1],
  qk_norm: [0, 1],
  sharpen: [0, 1],
  cache: [1, 2],
  share: [1, 2],
  window: [0, 1],
  scores: [0, 1],
  weights: [0, 1],
  mix: [0, 1, 2],
  attention: [0, 1, 2],
  feed_forward: [0, 1, 2],
  next: [0, 1, 2],
};
/** One box over all its lanes. @type {ReadonlySet<Station>} */
const TOGETHER = new Set(["norm", "window", "scores", "weights", "mix", "attention", "feed_forward", "next"]);

const ROLES = ["query", "key", "value"];

/** @type {View} */
export const decoderView = (element, data, { set }) => {
  const picture = svg("svg", { class: "mark decoder-mark", role: "img" });
  fill(element, picture);
  return fittedView(element, data, draw, WIDTHS);

  /** @param {import("./state.js").DecoderData} data @param {number} width */
  function draw({ state, answer, station }, width) {
    const sizes = sizesOf(width);
    const stations = stationsOf(answer.config, chosenIn(state, answer).block);
    const names = stations.map((station) => stationName(station, answer.config));
    const heads = [t("query"), t("key"), t("value")];
    picture.setAttribute("viewBox", `0 0 ${width} ${HEAD + stations.length * sizes.row}`);
    picture.setAttribute("aria-label", `${t("The path through the block")}: ${names.join(", ")}`);
    const chosen = { x: 0, y: HEAD + stations.indexOf(station) * sizes.row - 5, width, height: sizes.row };
    fill(
      picture,
      ...heads.map((head, lane) =>
        svg("text", { class: `decoder-lane is-${ROLES[lane]}`, x: sizes.lanes[lane], y: 13 }, head),
      ),
      svg("rect", { class: "decoder-chosen", ...chosen }),
      ...stations.flatMap((station, index) => joins(stations, station, index, sizes)),
      ...stations.map((entry, index) => {
        const onclick = () => set({ step: index + 1 }, "switch");
        const isLater = index > stations.indexOf(station);
        const kind = `decoder-station${entry === station ? " is-chosen" : ""}${isLater ? " is-later" : ""}`;
        const name = `${index + 1}${ADDED.has(entry) ? " +" : ""} ${names[index]}`;
        return svg(
          "g",
          { class: kind, "data-station": entry, "data-step": index + 1, onclick },
          ...rowOf(entry, name, shapesOf(answer, entry), topOf(index, sizes), sizes),
        );
      }),
    );
  }
};

/**
 * @param {Station} station
 * @param {string} name
 * @param {string[]} shapes
 * @param {number} top  of its boxes
 * @param {Sizes} sizes
 */
function rowOf(station, name, shapes, top, sizes) {
  const { width, row, box, above } = sizes;
  const middle = top + box / 2;
  return [
    svg("rect", { class: "decoder-ground", x: 0, y: top - above - 5, width, height: row }),
    svg("text", { class: "decoder-name", x: 4, y: above ? top - above / 2 : middle }, name),
    ...boxesOf(station, sizes).map(([left, right], lane) =>
      svg(
        "g",
        { class: `decoder-box ${TOGETHER.has(station) ? "" : `is-${ROLES[ON[station][lane]]}`}` },
        svg("rect", { x: left, y: top, width: right - left, height: box }),
        svg("text", { x: (left + right) / 2, y: middle }, shapes[lane] ?? ""),
      ),
    ),
  ];
}

/**
 * Where a station's boxes begin.
 * @param {number} index
 * @param {Sizes} sizes
 */
function topOf(index, { row, above }) {
  return HEAD + index * row + above;
}

/** @param {Station} station @param {Sizes} sizes @returns {[number, number][]} */
function boxesOf(station, { lanes: middles, half }) {
  const lanes = ON[station].map((lane) => middles[lane]);
  if (TOGETHER.has(station)) return [[lanes[0] - half, lanes[lanes.length - 1] + half]];
  return lanes.map((middle) => [middle - half, middle + half]);
}

/** In which lanes something leaves a station, where not in all of its own. @type {Partial<Record<Station, number[]>>} */
const LEAVES = { scores: [0], weights: [0], mix: [1], attention: [1], feed_forward: [1], next: [] };

/**
 * Lines down from a station: in each lane to the next station that works on it.
 * @param {Station[]} stations
 * @param {Station} station
 * @param {number} index
 * @param {Sizes} sizes
 */
function joins(stations, station, index, sizes) {
  return (LEAVES[station] ?? ON[station]).map((lane) => {
    const next = stations.findIndex((later, place) => place > index && ON[later].includes(lane));
    const [y1, y2] = [topOf(index, sizes) + sizes.box, topOf(next, sizes)];
    const x = sizes.lanes[lane];
    return svg("line", { class: "decoder-join", x1: x, x2: x, y1, y2 });
  });
}

/** @type {View} */
export const decoderStagesView = drawnView((element, { set }) => {
  let built = "";
  /** @type {((data: import("../../charts/matrix.js").MatrixMark) => void)[]} */
  let marks = [];

  return (data) => {
    const matrices = matricesOf(data, data.station);
    const kinds = matrices.map((matrix) => `${matrix.title}/${matrix.kind}`).join();
    if (kinds !== built) {
      built = kinds;
      const boxes = matrices.map(({ title }) => {
        const box = el("div", { class: "decoder-box-numbers" });
        return { box, all: el("div", {}, el("p", { class: "note" }, title), box) };
      });
      fill(element, ...boxes.map((box) => box.all));
      marks = boxes.map(({ box }, index) =>
        mount(box, matrixMark, { ...optionsOf(matrices[index].kind), mostHeight: MATRIX }),
      );
    }
    matrices.forEach((matrix, index) => marks[index](markOf(data, matrix)));
  };

  /** @param {string} kind */
  function optionsOf(kind) {
    if (kind === "owners") return {};
    const isPair = kind === "scores" || kind === "weights" || kind === "seen";
    return {
      onPick: (/** @type {{row: number, column: number}} */ { row, column }) =>
        set(isPair ? { query: row, key: Math.min(row, column) } : { query: row }, "pick"),
    };
  }
});

/** @type {View} */
export const decoderFactsView = factsView(({ answer }) => [
  [t("Biases"), answer.config.bias ? t("in every layer") : t("none")],
  [
    t("Parameters, and those in attention"),
    `${grouped(answer.parameters.total)}, ${grouped(answer.parameters.attention)}`,
  ],
  [t("Cache, bytes per token"), grouped(answer.kv_cache_bytes_per_token)],
  [t("Logits with the cache differ by"), small(answer.cached_difference)],
  [t("Most probable next token"), answer.vocabulary[answer.generated[0]]],
  [t("Norm after the embedding"), answer.config.embedding_norm ? t("RMS norm") : t("none")],
]);

/**
 * @param {import("./state.js").DecoderData} data
 * @param {ReturnType<typeof matricesOf>[number]} matrix
 * @returns {import("../../charts/matrix.js").MatrixMark}
 */
function markOf({ state, answer }, { title, values, kind }) {
  const { query, key, head } = chosenIn(state, answer);
  const words = answer.ids.map((id) => answer.vocabulary[id]);
  switch (kind) {
    case "owners":
      return {
        title,
        values,
        axes: t("query head ↓ key head →"),
        scale: "weight",
        digits: 0,
        chosen: { row: head, column: -1 },
      };
    case "seen":
    case "scores":
    case "weights":
      return {
        title,
        values,
        rows: words,
        columns: words,
        ...queriesByKeys(),
        scale: kind === "scores" ? "signed" : "weight",
        ...(kind === "seen" && { digits: 0 }),
        chosen: { row: query, column: key },
      };
    case "next":
      return {
        title,
        values,
        rows: words,
        columns: answer.vocabulary,
        axes: t("after ↓ comes →"),
        scale: "weight",
        chosen: { row: query, column: -1 },
      };
    default:
      return {
        title,
        values,
        rows: words,
        axes: t("token ↓ number →"),
        scale: "signed",
        digits: values[0].length > 8 ? 1 : 2,
        chosen: { row: query, column: -1 },
      };
  }
}
