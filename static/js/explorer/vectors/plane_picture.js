/** Draw the query–key plane: points, lines to the strongest partners, and names where there is room. */

import { fill, svg } from "../../base/dom.js";
import { briefLabel } from "../../wording/labels.js";
import { isolated } from "../../wording/token_text.js";
import { context } from "../../charts/thumbnail_sheet.js";
import { placeNames } from "./plane_layout.js";
import { NAME_HEIGHT, axesOf, line, nameText, reachOf, shape, zeroMark } from "./plane_marks.js";
import { findPoint, linksOf } from "./plane_points.js";

/** @typedef {import("./plane.js").PlaneData} PlaneData */
/** @typedef {import("./plane_points.js").Point} Point */
/** @typedef {import("./plane_points.js").Points} Points */

/** Up to this many tokens, every point is named where there is room. */
const FEW_TOKENS = 48;
/** Pixels by which marks of what is chosen or pointed at are larger than points. */
const LARGER = { chosen: 4, pointed: 3 };
const LONGEST_NAME = 16;

export function createPlanePicture() {
  const layers = ["axes", "lines", "links", "points", "marks", "pointer", "names"].map((name) =>
    svg("g", { class: `plane-${name}` }),
  );
  const [axes, lines, links, dots, marks, pointer, names] = layers;
  const element = svg("svg", { "aria-hidden": "true" }, ...layers);
  const ruler = context(document.createElement("canvas"));
  let font = "";
  /** @type {Set<Point>} */
  let labelled = new Set();

  /**
   * A name that may stand beside a point.
   * @param {Point} at
   * @param {number} larger  than a point; 0 for one that is no more than a point
   * @param {Points} points
   * @param {PlaneData} data
   */
  function nameBox(at, larger, { size }, { queries, keys }) {
    const text = nameOf((at.role === "query" ? queries : keys)[at.token]);
    ruler.font = `${larger > 0 ? 700 : 400} ${font}`;
    const box = { width: ruler.measureText(text).width + 2, height: NAME_HEIGHT };
    return { at, text, ...box, size: reachOf(at.role, size + larger), needed: larger > 0 };
  }

  return {
    element,
    /**
     * Draws everything but the pointed-at point.
     * @param {Points} points
     * @param {PlaneData} data
     */
    draw(points, data) {
      const { spots, width, height, size } = points;
      const { fontSize, fontFamily } = getComputedStyle(names);
      font = `${fontSize} ${fontFamily}`;
      for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) {
        element.setAttribute(name, String(value));
      }
      dots.classList.toggle("is-many", points.isMany);
      const ofRole = (/** @type {Point["role"]} */ wanted) => spots.filter(({ role }) => role === wanted);
      fill(dots, shape("key", ofRole("key"), size), shape("query", ofRole("query"), size));
      fill(axes, ...axesOf(data.plane, points.place, points), points.isOriginSeen && zeroMark(points.origin, 7));

      const { chosen, read } = chosenIn(points, data);
      const [query, key] = chosen;
      fill(lines, ...read.map((link) => query && line(query, link, link.to === key ? " is-chosen" : "")));
      fill(marks, ...[key, query].map((one) => one && shape(one.role, [one], size + LARGER.chosen)));
      const isFew = Math.max(data.queries.length, data.keys.length) <= FEW_TOKENS;
      const wanted = new Set([...chosen, ...read.map(({ to }) => to), ...(isFew ? spots : [])]);
      const given = [...wanted].flatMap((one) =>
        one ? [nameBox(one, chosen.includes(one) ? LARGER.chosen : 0, points, data)] : [],
      );
      const marked = given.filter(({ needed }) => needed).map(({ at, size: reach }) => ({ ...at, reach }));
      const corners = placeNames(given, [...spots, ...marked], points);
      labelled = new Set(given.filter((_, index) => corners[index]).map(({ at }) => at));
      fill(names, ...given.map((name, index) => written(name, corners[index])));
    },
    /**
     * @param {Points} points
     * @param {PlaneData} data
     * @returns {Point | null}  the pointed-at point
     */
    point(points, data) {
      const pointed = [findPoint(points, "query", data.pointedQuery), findPoint(points, "key", data.pointedKey)];
      const there = pointed.filter((one) => one !== null);
      const [first = null] = there;
      const joined = first && there.length === 1 ? linksOf(points, data.plane, first) : [];
      const given = there.filter((one) => !labelled.has(one)).map((one) => nameBox(one, LARGER.pointed, points, data));
      fill(links, ...joined.map((link) => first && line(first, link, " is-pointed")));
      fill(
        pointer,
        ...there.map((one) => shape(one.role, [one], points.size + LARGER.pointed)),
        ...given.map((name) => written(name, placeNames([name], [], points)[0])),
      );
      return first;
    },
  };
}

/**
 * The chosen query and key, and the links of that query, the one to the chosen key among them.
 * @param {Points} points
 * @param {PlaneData} data
 */
function chosenIn(points, { plane, query, key, weight }) {
  const chosen = [findPoint(points, "query", query), findPoint(points, "key", key)];
  const [from, to] = chosen;
  const read = from ? linksOf(points, plane, from) : [];
  if (from && to && weight !== null && !read.some((link) => link.to === to)) read.push({ to, weight });
  return { chosen, read };
}

/** @param {import("../../api/types.js").Token} token */
function nameOf(token) {
  const label = briefLabel(token);
  const signs = [...label];
  return isolated(signs.length > LONGEST_NAME ? `${signs.slice(0, LONGEST_NAME - 1).join("")}…` : label);
}

/**
 * @param {{at: Point, text: string, needed: boolean}} name
 * @param {import("./plane_layout.js").Spot | null} corner  null where there is no room
 */
function written({ at, text, needed }, corner) {
  return corner && nameText(corner, text, `is-${at.role}${needed ? " is-chosen" : ""}`);
}
