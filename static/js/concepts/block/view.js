/** A block from top to bottom: the residual stream as a trunk, attention and feed-forward as branches that add to it. */

import { IN_STREAM, isAttention, stationName } from "./names.js";
import { cssColor, mix } from "../../base/theme/color.js";
import { barsMark } from "../../charts/bars.js";
import { chartView, drawnView } from "../frame/views.js";
import { linesMark } from "../../charts/lines.js";
import { matrixMark } from "../../charts/matrix.js";
import { piecesApart, tokenLabel } from "../../wording/labels.js";
import { small } from "../../base/numbers.js";
import { el, fill, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { fittedView, readout } from "../../charts/axes.js";
import { scaleStops } from "../../base/theme/theme.js";

/** @typedef {import("./state.js").BlockStation} BlockStation */

/** @typedef {import("../frame/concept.js").ConceptView<import("./state.js").BlockData>} View */

export const CELLS = 16;
const TOP = 20;
const TRUNK = 22;
const BRANCH = 52;
/** Where names begin, and what is right of them: lengths. */
const [NAMES, LENGTHS] = [78, 62];
/** Widths of the picture, in pixels; from the second on names stand beside the cells, below it above them. */
const [WIDTHS, WIDE] = [{ least: 280, most: 760 }, 560];
/** Of names that stand beside the cells. */
const NAME_WIDTH = 256;

/**
 * @typedef {object} Sizes
 * @property {number} width
 * @property {number} row  height
 * @property {number} strip  where cells begin
 * @property {number} cell  width
 * @property {number} below  how far below a station's line its cells and length stand
 */

/** @param {number} width @returns {Sizes} */
function sizesOf(width) {
  const isWide = width >= WIDE;
  const strip = isWide ? NAMES + NAME_WIDTH : NAMES;
  return { width, strip, row: isWide ? 41 : 47, below: isWide ? -7 : 6, cell: (width - strip - LENGTHS) / CELLS };
}

/** @type {View} */
export const blockView = (element, data, { set }) => {
  const picture = svg("svg", { class: "block-picture", role: "img" });
  fill(element, picture);
  return fittedView(element, data, draw, WIDTHS);

  /** @param {import("./state.js").BlockData} data @param {number} width */
  function draw({ state: { number, step }, answer: { stations } }, width) {
    const sizes = sizesOf(width);
    const topOf = (/** @type {number} */ index) => TOP + sizes.row * index + 12;
    const first = Math.floor(number / CELLS) * CELLS;
    const count = stations[0].vector.length;
    const places = new Map(stations.map((station, index) => [station.name, topOf(index)]));
    const said = { first, last: Math.min(first + CELLS, count) - 1, count };
    const height = TOP + sizes.row * stations.length + 6;
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) {
      picture.setAttribute(name, String(value));
    }
    picture.setAttribute("aria-label", described(stations));
    const paint = painter(stations, first);
    fill(
      picture,
      svg("text", { class: "block-head", x: sizes.strip, y: 11 }, t("numbers {first} to {last} of {count}", said)),
      svg("text", { class: "block-head is-end", x: width - 4, y: 11 }, t("length |x|")),
      ...stations.flatMap((station) => connections(station, places, sizes.row)),
      ...stations.map((station, index) => {
        const pick = (/** @type {object} */ patch) => set({ step: index + 1, ...patch }, "pick");
        const isChosen = index + 1 === step;
        const cell = { sizes, first, y: topOf(index), chosen: isChosen ? number : -1 };
        const kind = isChosen ? "is-chosen" : index + 1 > step ? "is-later" : "";
        const row = rowOf(station, cell, cellsOf(station, cell, paint, pick), kind, () => pick({}));
        row.dataset.step = String(index + 1);
        return row;
      }),
    );
  }
};

/**
 * Colours as strong as nearly the largest of the numbers shown.
 * @param {BlockStation[]} stations
 * @param {number} first  number shown
 */
function painter(stations, first) {
  const shown = stations.flatMap((station) => station.vector.slice(first, first + CELLS));
  const most = quantile(shown.map(Math.abs), 0.96) || 1;
  return (/** @type {number} */ value) =>
    cssColor(mix(scaleStops("signed"), 0.5 + Math.min(Math.max(value / (2 * most), -0.5), 0.5)));
}

/**
 * @param {BlockStation} station
 * @param {{sizes: Sizes, first: number, y: number, chosen: number}} at
 * @param {(value: number) => string} paint
 * @param {(patch: {number: number}) => void} pick
 */
function cellsOf(station, { sizes: { strip, cell, below }, first, y, chosen }, paint, pick) {
  return station.vector.slice(first, first + CELLS).map((value, index) => {
    const number = first + index;
    const onclick = (/** @type {Event} */ event) => {
      event.stopPropagation();
      pick({ number });
    };
    const kind = `block-cell${number === chosen ? " is-chosen" : ""}`;
    const place = { x: strip + index * cell, y: y + below, width: cell - 1, height: 15 };
    return svg(
      "rect",
      { class: kind, ...place, fill: paint(value), onclick },
      svg("title", {}, `${number}: ${readout(value)}`),
    );
  });
}

/**
 * @param {BlockStation} station
 * @param {{sizes: Sizes, y: number}} at
 * @param {SVGElement[]} cells
 * @param {string} kind
 * @param {() => void} onclick
 */
function rowOf(station, { sizes: { width, row, below }, y }, cells, kind, onclick) {
  const isBeside = below < 0;
  const ground = { x: NAMES - 8, y: y - (isBeside ? 15 : 13), width: width - NAMES + 6, height: row - 5 };
  return svg(
    "g",
    { class: `block-row ${kind}`, onclick },
    svg("rect", { class: "block-ground", ...ground }),
    svg("text", { class: "block-name", x: NAMES, y: isBeside ? y + 5 : y }, stationName(station.name)),
    ...cells,
    svg("text", { class: "block-length is-end", x: width - 4, y: y + below + 12 }, readout(station.norm)),
    nodeOf(station, y),
  );
}

/**
 * @param {BlockStation} station
 * @param {Map<string, number>} places
 * @param {number} row  height
 */
function connections(station, places, row) {
  const y = (places.get(station.name) ?? 0) + 4;
  if (IN_STREAM.has(station.name)) {
    const branch = station.made_by === "add" ? station.made_of.slice(1) : [];
    const from = station.made_of.map((name) => places.get(name)).find((place) => place !== undefined);
    const trunk = from === undefined ? null : svg("path", { class: "block-trunk", d: `M${TRUNK} ${from + 4}V${y}` });
    return [
      trunk,
      ...branch.map((name) => {
        const top = (places.get(name) ?? 0) + 4;
        const way = `M${BRANCH} ${top}V${y - 10}Q${BRANCH} ${y} ${BRANCH - 10} ${y}H${TRUNK + 9}`;
        return svg("path", { class: `block-branch ${styleOf(name)}`, d: way });
      }),
    ];
  }
  const source = station.made_by === null ? null : station.made_of[0];
  const above = source === null ? y - row : (places.get(source) ?? 0) + 4;
  const isFromTrunk = source === null ? startsBranch(station, places) : IN_STREAM.has(source);
  const way = isFromTrunk
    ? `M${TRUNK} ${above}H${BRANCH - 10}Q${BRANCH} ${above} ${BRANCH} ${above + 10}V${y}`
    : `M${BRANCH} ${above}V${y}`;
  return [svg("path", { class: `block-branch ${styleOf(station.name)}`, d: way })];
}

/**
 * Post-norm blocks pass the stream itself to attention and feed-forward layer, without a normed station before them.
 * @param {BlockStation} station
 * @param {Map<string, number>} places
 */
function startsBranch({ name }, places) {
  return name === "head_outputs" ? !places.has("attention_normed") : !places.has("feed_forward_normed");
}

/**
 * @param {BlockStation} station
 * @param {number} y
 */
function nodeOf({ name, made_by }, y) {
  const middle = y + 4;
  if (!IN_STREAM.has(name))
    return svg("circle", { class: `block-node ${styleOf(name)}`, cx: BRANCH, cy: middle, r: 4 });
  if (made_by === "norm") {
    return svg("rect", { class: "block-node is-stream", x: TRUNK - 6, y: middle - 6, width: 12, height: 12 });
  }
  const plus = `M${TRUNK - 5} ${middle}h10M${TRUNK} ${middle - 5}v10`;
  return svg(
    "g",
    {},
    svg("circle", { class: "block-node is-stream", cx: TRUNK, cy: middle, r: made_by === "add" ? 8 : 5 }),
    made_by === "add" ? svg("path", { class: "block-plus", d: plus }) : null,
  );
}

/** @param {string} station */
function styleOf(station) {
  return isAttention(station) ? "series-1" : "series-2";
}

/** @param {BlockStation[]} stations */
function described(stations) {
  const said = stations.map(({ name, norm }) => {
    const length = t("length {length}", { length: readout(norm) });
    return `${stationName(name)}: ${length}`;
  });
  return `${t("The block from top to bottom")}. ${said.join("; ")}`;
}

/**
 * @param {number[]} values
 * @param {number} share
 */
function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)] ?? 0;
}

/** @type {View} */
export const curvesView = chartView(linesMark, ({ answer }) => {
  const points = (/** @type {number[]} */ list) =>
    list.map((value, index) => /** @type {[number, number]} */ ([index, value]));
  const last = answer.stream_norms.length - 1;
  return {
    title: t("Vector lengths through the whole model, at this token"),
    series: [
      { name: t("the stream, before each block"), points: points(answer.stream_norms) },
      { name: t("what attention adds"), points: points(answer.attention_norms) },
      { name: t("what feed-forward adds"), points: points(answer.feed_forward_norms) },
    ],
    x: { name: t("block"), least: 0, most: last, ticks: ticksTo(last) },
    y: { name: t("length"), least: 0 },
    verticals: [{ x: answer.layer, name: t("this block") }],
    height: 210,
  };
});

/** @param {number} last */
function ticksTo(last) {
  const every = Math.ceil((last + 1) / 14);
  return Array.from({ length: last + 1 }, (_, index) => index).filter((index) => index % every === 0);
}

/** @type {View} */
export const weightsView = chartView(matrixMark, ({ answer, labels }) => ({
  title: t("What the heads of this block attend to from this token"),
  values: answer.weights,
  columns: labels,
  columnRole: /** @type {const} */ ("key"),
  scale: /** @type {const} */ ("weight"),
  axes: t("head ↓ attends to key →"),
}));

/** @type {View} */
export const nextView = chartView(barsMark, ({ answer: { guesses } }) =>
  guesses.length === 0
    ? null
    : {
        title: t("The model's predictions for the next token"),
        names: piecesApart(guesses).map(tokenLabel),
        series: [{ name: t("probability"), values: guesses.map((guess) => guess.probability) }],
        most: 1,
        height: 150,
      },
);

/** @type {View} */
export const checksView = drawnView((element) => ({ answer }) => {
  const rows = answer.checks.map((check) =>
    el(
      "tr",
      {},
      el("td", {}, el("code", {}, check.equation)),
      el("td", { class: "check-size" }, small(check.difference)),
      el("td", { class: check.holds ? "is-good" : "is-bad" }, check.holds ? t("✓ holds") : t("✗ does not hold")),
    ),
  );
  fill(element, ...rows);
});
