/** Marks of the query–key plane, the same in the chart and in its legend. */

import { el, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { pathOf } from "./plane_layout.js";
import { percent } from "./plane_words.js";

/** @typedef {import("./plane_layout.js").Spot} Spot */
/** @typedef {import("./plane.js").Role} Role */

export const NAME_HEIGHT = 15;
const SHAPES = /** @type {const} */ ({ query: "circle", key: "diamond" });
/** A square on its corner looks smaller than a circle. */
const LARGER = { query: 1, key: 1.2 };

/**
 * Points of one role as one shape.
 * @param {Role} role
 * @param {Spot[]} spots
 * @param {number} size
 */
export function shape(role, spots, size) {
  return svg("path", { class: `plane-${role}`, d: pathOf(spots, SHAPES[role], reachOf(role, size)) });
}

/**
 * From the middle of a point outward.
 * @param {Role} role
 * @param {number} size
 */
export function reachOf(role, size) {
  return size * LARGER[role];
}

/**
 * @param {Spot} from
 * @param {{to: Spot, weight: number}} link
 * @param {string} kind
 */
export function line(from, { to, weight }, kind) {
  const ends = { x1: from.x, y1: from.y, x2: to.x, y2: to.y };
  return svg("line", { class: `plane-line${kind}`, ...ends, "stroke-width": 0.75 + 6 * weight });
}

/**
 * @param {Spot} corner
 * @param {string} text
 * @param {string} kind
 */
export function nameText({ x, y }, text, kind) {
  return svg("text", { class: kind, x: x + 1, y: y + 0.8 * NAME_HEIGHT }, text);
}

/**
 * @param {Spot} zero
 * @param {number} arm
 */
export function zeroMark({ x, y }, arm) {
  return svg("path", { class: "plane-zero", d: `M${x - arm} ${y}h${2 * arm}M${x} ${y - arm}v${2 * arm}` });
}

/**
 * Both axes through the centre of all points, with what they hold.
 * @param {import("../../api/query_key_plane.js").Plane} plane
 * @param {(point: readonly [number, number]) => Spot} place
 * @param {{width: number, height: number}} size
 */
export function axesOf({ explained }, place, { width, height }) {
  const { x, y } = place([0, 0]);
  const share = (/** @type {number} */ axis) =>
    t("axis {number}: {share} %", { number: axis + 1, share: percent(explained[axis]) });
  return [
    svg("line", { x1: 0, x2: width, y1: y, y2: y }),
    svg("line", { x1: x, x2: x, y1: 0, y2: height }),
    svg("text", { x: width - 8, y: height - 9, "text-anchor": "end" }, `→ ${share(0)}`),
    svg("text", { x: 8, y: 17 }, `↑ ${share(1)}`),
  ];
}

/**
 * @param {boolean} hasZero  whether the zero vector is in the picture
 * @returns {(Node | false)[]}
 */
export function legendOf(hasZero) {
  const middle = { x: 8, y: 8 };
  const entry = (/** @type {SVGElement} */ mark, /** @type {string} */ kind, /** @type {string} */ name) =>
    el(
      "span",
      { class: "plane-entry" },
      svg("svg", { class: "plane-sample", viewBox: "0 0 16 16", "aria-hidden": "true" }, mark),
      el("span", { class: kind }, name),
    );
  const stroke = svg("path", { class: "plane-line", d: "M1 8h14" });
  return [
    entry(shape("query", [middle], 5), "is-query", t("query")),
    entry(shape("key", [middle], 5), "is-key", t("key")),
    entry(stroke, "", t("what the chosen query attends to most: the wider, the more")),
    hasZero && entry(zeroMark(middle, 7), "", t("the zero vector, the origin of dot products")),
  ];
}
