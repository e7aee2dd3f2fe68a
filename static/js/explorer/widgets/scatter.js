/** A scatter of any two measures, a point for each head: pointing or the arrow keys name it, a click or Enter opens it. */

import { legibleType } from "../../charts/legible_type.js";
import { actOnKey } from "../../charts/key_acts.js";
import { nearest, spotIn } from "../../charts/scatter/spots.js";
import { el, fill, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { changes, drawnView } from "../../base/mount.js";
import { fixed } from "../../base/numbers.js";
import { headCode, metricTitle } from "../../wording/labels.js";
import { indexOfHead } from "../state/head_list.js";
import { SIZE, scatterPlaces, steppedPoint } from "./scatter_scale.js";

/** @typedef {import("../state/head_list.js").HeadAt} HeadAt */
/** @typedef {import("./scatter_scale.js").Point} Point */

/**
 * @typedef {object} ScatterData
 * @property {import("../../api/types.js").Metrics} metrics
 * @property {Record<string, import("../../api/types.js").MetricInfo>} info
 * @property {string} across  the measure along the bottom; "" for the first
 * @property {string} up  and along the side; "" for the second
 * @property {Set<string> | null} kept  heads that the filter lets through; null for all
 * @property {number} layer  of the chosen head
 * @property {number} head
 * @property {0 | 1} numbering
 */

/** How far from the pointer a head may be, in the drawing's units. */
const REACH = 18;

/**
 * @param {HTMLElement} element
 * @param {ScatterData} data
 * @param {{onPick: (head: HeadAt) => void, onAxes: (axes: {across?: string, up?: string}) => void}} options
 * @returns {import("../../base/mount.js").View<ScatterData>}
 */
export function scatterView(element, data, { onPick, onAxes }) {
  const axes = createAxisChoice(onAxes);
  const plot = createPlot(onPick);
  const how = t("Each point is a head: click it, or move with the arrow keys and press Enter, to open it.");
  const toolbar = el("div", { class: "toolbar" }, ...axes.labels, el("span", { class: "note" }, how));
  fill(element, toolbar, plot.picture, plot.readout);
  /** @type {ScatterData | null} */
  let before = null;

  /** @param {ScatterData} next */
  function draw(next) {
    const differs = changes(before, next);
    before = next;
    if (differs("metrics", "info")) axes.offer(next);
    axes.show(names(next));
    plot.draw(next);
  }

  return drawnView(element, data, draw);
}

/**
 * The choice of both measures.
 * @param {(axes: {across?: string, up?: string}) => void} onAxes
 */
function createAxisChoice(onAxes) {
  const across = el("select", { onchange: () => onAxes({ across: across.value }) });
  const up = el("select", { onchange: () => onAxes({ up: up.value }) });
  return {
    labels: [el("label", {}, t("Across"), " ", across), el("label", {}, t("Up"), " ", up)],
    /** @param {Pick<ScatterData, "metrics" | "info">} data */
    offer({ metrics, info }) {
      for (const select of [across, up])
        fill(
          select,
          ...Object.keys(metrics).map((name) => el("option", { value: name }, metricTitle(name, info[name]))),
        );
    },
    /** @param {[string, string]} names */
    show([bottom, side]) {
      across.value = bottom;
      up.value = side;
    },
  };
}

/**
 * The points, one of which may be pointed at, and what is read of it.
 * @param {(head: HeadAt) => void} onPick
 */
function createPlot(onPick) {
  const picture = emptyPicture();
  const readout = el("p", { class: "readout is-quiet", "aria-hidden": "true" });
  /** @type {ScatterData} */
  let current;
  /** @type {Point[]} */
  let points = [];
  /** @type {Point | null} */
  let pointed = null;
  picture.addEventListener("pointermove", (event) => point(pointUnder(picture, points, event)));
  picture.addEventListener("pointerleave", () => point(null));
  picture.addEventListener("blur", () => point(null));
  picture.addEventListener("click", (event) => {
    const head = pointUnder(picture, points, event);
    if (head) onPick({ layer: head.layer, head: head.head });
  });
  picture.addEventListener("keydown", (event) => {
    const from = pointed ?? current;
    const choose = () => indexOfHead([current], from) === 0 || onPick({ layer: from.layer, head: from.head });
    actOnKey(event, {
      acts: { Enter: choose, " ": choose, Escape: () => point(null) },
      step: (key) => steppedPoint(points, from, key),
      move: point,
    });
  });

  /** @param {Point | null} next */
  function point(next) {
    pointed = next;
    picture.classList.toggle("is-on-head", next !== null);
    picture.querySelector(".is-pointed")?.classList.remove("is-pointed");
    if (next) picture.querySelector(`[data-head="${next.layer}.${next.head}"]`)?.classList.add("is-pointed");
    tell(indexOfHead(points, next ?? current));
  }

  /** @param {number} index  of a point */
  function tell(index) {
    if (index < 0) return;
    const text = readingOf(points[index], current);
    readout.textContent = text;
    picture.setAttribute("aria-valuetext", text);
    picture.setAttribute("aria-valuenow", String(index));
    picture.setAttribute("aria-valuemax", String(points.length - 1));
  }

  /** @param {ScatterData} next */
  function draw(next) {
    current = next;
    const [bottom, side] = names(next);
    const places = scatterPlaces(next.metrics[bottom], next.metrics[side]);
    points = places.points;
    const [across, up] = titlesOf(next);
    const titles = { across, up };
    picture.setAttribute("aria-label", t("All heads by {across} and {up}; the table below has the numbers", titles));
    fill(picture, ...axes(places, titles), ...points.map((point) => dot(point, next)));
    point(pointed && (points[indexOfHead(points, pointed)] ?? null));
  }

  return { picture, readout, draw };
}

function emptyPicture() {
  const viewBox = `0 0 ${SIZE.width} ${SIZE.height}`;
  return legibleType(svg("svg", { class: "scatter", viewBox, role: "slider", tabindex: 0, "aria-valuemin": 0 }));
}

/**
 * @param {SVGSVGElement} picture
 * @param {Point[]} points
 * @param {MouseEvent} event
 */
function pointUnder(picture, points, event) {
  const { x, y } = spotIn(picture, event);
  const scale = SIZE.width / (picture.getBoundingClientRect().width || 1);
  return nearest(points, { x: x * scale, y: y * scale }, REACH);
}

/** A head and its value of both measures. @param {Point} point @param {ScatterData} data */
function readingOf({ layer, head, values }, data) {
  const said = titlesOf(data).map((title, axis) => `${title} ${fixed(values[axis], 2)}`);
  return [headCode(layer, head, data.numbering), ...said].join(" · ");
}

/** @param {ScatterData} data */
function titlesOf(data) {
  return names(data).map((name) => metricTitle(name, data.info[name]));
}

/** @param {ScatterData} data  @returns {[string, string]}  of the measures that there are */
function names({ metrics, across, up }) {
  const names = Object.keys(metrics);
  return [metrics[across] ? across : names[0], metrics[up] ? up : (names[1] ?? names[0])];
}

/**
 * @param {Pick<ReturnType<typeof scatterPlaces>, "ticks" | "rungs">} places
 * @param {{across: string, up: string}} titles
 */
function axes({ ticks, rungs }, { across, up }) {
  const { width, height, left, right, top, bottom } = SIZE;
  const text = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ said, anchor = "middle") =>
    svg("text", { x, y, "text-anchor": anchor }, said);
  return [
    svg("path", { class: "scatter-axes", d: `M${left} ${top}V${height - bottom}H${width - right}` }),
    ...ticks.map(({ x, text: said }, index) => text(x, height - bottom + 13, said, index === 2 ? "end" : "middle")),
    ...rungs.map(({ y, text: said }) => text(left - 5, y + 4, said, "end")),
    text((left + width - right) / 2, height - 4, `${across} →`),
    svg("text", { x: 4, y: 12, "text-anchor": "start" }, `↑ ${up}`),
  ];
}

/**
 * @param {Point} point
 * @param {ScatterData} data
 */
function dot({ layer, head, x, y }, { kept, ...chosen }) {
  const isChosen = indexOfHead([chosen], { layer, head }) === 0;
  const isDimmed = kept !== null && !kept.has(`${layer}.${head}`);
  const kind = `scatter-head${isChosen ? " is-chosen" : ""}${isDimmed ? " is-dimmed" : ""}`;
  return svg("circle", { class: kind, cx: x, cy: y, r: isChosen ? 6 : 4, "data-head": `${layer}.${head}` });
}
