/** A block from top to bottom: the residual stream as a trunk, attention and feed-forward as branches that add to it. */

import { IN_STREAM, isAttention, stationName } from "./names.js";
import { cssColor, mix } from "../../base/color.js";
import { fill, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { readout } from "../../charts/axes.js";
import { scaleStops } from "../../base/theme.js";

/**
 * @typedef {object} BlockStation
 * @property {string} name
 * @property {"norm" | "project" | "add" | null} made_by
 * @property {string[]} made_of
 * @property {number[]} vector
 * @property {number} norm
 * @property {number} mean
 * @property {number} standard_deviation
 */

/**
 * @typedef {object} BlockData
 * @property {BlockStation[]} stations
 * @property {string} chosen  station
 * @property {number} number  which of the numbers of a vector is looked at
 */

export const CELLS = 16;
const WIDTH = 460;
const ROW = 47;
const TOP = 20;
const TRUNK = 22;
const BRANCH = 52;
const STRIP = 78;
const CELL = 17;

/**
 * @param {HTMLElement} element
 * @param {BlockData} data
 * @param {{onPick: (station: string, number: number | null) => void}} options
 * @returns {import("../../api/types.js").View<BlockData>}
 */
export function blockView(element, data, { onPick }) {
  const picture = svg("svg", { class: "block-picture", role: "img" });
  fill(element, picture);

  /** @param {BlockData} next */
  function draw({ stations, chosen, number }) {
    const first = Math.floor(number / CELLS) * CELLS;
    const height = TOP + ROW * stations.length + 6;
    const places = new Map(stations.map((station, index) => [station.name, TOP + ROW * index + 12]));
    const shown = stations.flatMap((station) => station.vector.slice(first, first + CELLS));
    const most = quantile(shown.map(Math.abs), 0.96) || 1;
    picture.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
    picture.setAttribute("aria-label", described(stations));
    fill(
      picture,
      svg(
        "text",
        { class: "block-head", x: STRIP, y: 11 },
        t("numbers {first} to {last} of {count}", {
          first,
          last: Math.min(first + CELLS, stations[0].vector.length) - 1,
          count: stations[0].vector.length,
        }),
      ),
      svg("text", { class: "block-head is-end", x: WIDTH - 4, y: 11 }, t("length |x|")),
      ...stations.flatMap((station) => connections(station, places)),
      ...stations.map((station) => rowOf(station, places.get(station.name) ?? 0)),
    );

    /**
     * @param {BlockStation} station
     * @param {number} y
     */
    function rowOf(station, y) {
      const isChosen = station.name === chosen;
      const cells = station.vector.slice(first, first + CELLS).map((value, index) => {
        const at = first + index;
        const rect = svg("rect", {
          class: `block-cell${isChosen && at === number ? " is-chosen" : ""}`,
          x: STRIP + index * CELL,
          y: y + 6,
          width: CELL - 1,
          height: 15,
          fill: cssColor(mix(scaleStops("signed"), 0.5 + Math.min(Math.max(value / (2 * most), -0.5), 0.5))),
          onclick: (/** @type {Event} */ event) => {
            event.stopPropagation();
            onPick(station.name, at);
          },
        });
        rect.append(svg("title", {}, `${at}: ${readout(value)}`));
        return rect;
      });
      return svg(
        "g",
        { class: `block-row${isChosen ? " is-chosen" : ""}`, onclick: () => onPick(station.name, null) },
        svg("rect", { class: "block-ground", x: STRIP - 8, y: y - 13, width: WIDTH - STRIP + 6, height: ROW - 5 }),
        svg("text", { class: "block-name", x: STRIP, y }, stationName(station.name)),
        ...cells,
        svg("text", { class: "block-length is-end", x: WIDTH - 4, y: y + 18 }, readout(station.norm)),
        nodeOf(station, y),
      );
    }
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
 * @param {BlockStation} station
 * @param {Map<string, number>} places
 */
function connections(station, places) {
  const y = (places.get(station.name) ?? 0) + 4;
  if (IN_STREAM.has(station.name)) {
    const branch = station.made_by === "add" ? station.made_of.slice(1) : [];
    const from = station.made_of.map((name) => places.get(name)).find((place) => place !== undefined);
    const trunk = from === undefined ? null : svg("path", { class: "block-trunk", d: `M${TRUNK} ${from + 4}V${y}` });
    return [
      trunk,
      ...branch.map((name) => {
        const at = (places.get(name) ?? 0) + 4;
        const way = `M${BRANCH} ${at}V${y - 10}Q${BRANCH} ${y} ${BRANCH - 10} ${y}H${TRUNK + 9}`;
        return svg("path", { class: `block-branch ${styleOf(name)}`, d: way });
      }),
    ];
  }
  const source = station.made_by === null ? null : station.made_of[0];
  const above = source === null ? y - ROW : (places.get(source) ?? 0) + 4;
  const isFromTrunk = source === null ? startsBranch(station, places) : IN_STREAM.has(source);
  const way = isFromTrunk
    ? `M${TRUNK} ${above}H${BRANCH - 10}Q${BRANCH} ${above} ${BRANCH} ${above + 10}V${y}`
    : `M${BRANCH} ${above}V${y}`;
  return [svg("path", { class: `block-branch ${styleOf(station.name)}`, d: way })];
}

/**
 * Post-norm blocks hand the stream itself to attention and feed-forward layer: no normed station stands before them.
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
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)] ?? 0;
}
