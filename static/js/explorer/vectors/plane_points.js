/** Points of the query–key plane in pixels, and which of them belong together. */

import { fitPlane } from "./plane_layout.js";

/** @typedef {import("../../api/query_key_plane.js").Plane} Plane */
/** @typedef {import("./plane_layout.js").Spot} Spot */
/** @typedef {"query" | "key"} Role */
/** @typedef {Spot & {role: Role, token: number, place: number}} Point  `place` among those of its role */

/**
 * @typedef {object} Points
 * @property {Point[]} spots  keys first, as they are drawn
 * @property {(point: readonly [number, number]) => Spot} place
 * @property {number} width
 * @property {number} height
 * @property {number} size  of a point, from the middle outward
 * @property {boolean} isMany
 * @property {Spot} origin  the zero vector
 * @property {boolean} isOriginSeen
 */

const MANY_POINTS = 300;
const EDGE = 8;

/**
 * @param {Plane} plane
 * @param {number} width
 * @returns {Points}
 */
export function layOutPoints(plane, width) {
  const { keys, queries } = plane;
  const { height, place } = fitPlane([...keys.coordinates, ...queries.coordinates], width);
  const of = (/** @type {Role} */ role, /** @type {Plane["keys"]} */ { indices, coordinates }) =>
    indices.map((token, index) => ({ ...place(coordinates[index]), role, token, place: index }));
  const spots = [...of("key", keys), ...of("query", queries)];
  const isMany = spots.length > MANY_POINTS;
  const origin = place(plane.origin);
  const isOriginSeen = origin.x > EDGE && origin.x < width - EDGE && origin.y > EDGE && origin.y < height - EDGE;
  return { spots, place, width, height, size: isMany ? 3 : 5, isMany, origin, isOriginSeen };
}

/**
 * @param {Points} points
 * @param {Role} role
 * @param {number | null} token
 * @returns {Point | null}
 */
export function findPoint({ spots }, role, token) {
  return spots.find((spot) => spot.role === role && spot.token === token) ?? null;
}

/**
 * From a query to the keys it attends to most, or from a key to the queries that attend to it most.
 * @param {Points} points
 * @param {Plane} plane
 * @param {Point} point
 * @returns {{to: Point, weight: number}[]}
 */
export function linksOf(points, plane, { role, place }) {
  const { partner_indices: partners, partner_weights: weights } = role === "query" ? plane.queries : plane.keys;
  return partners[place].flatMap((token, index) => {
    const weight = weights[place][index];
    const to = weight > 0 && findPoint(points, role === "query" ? "key" : "query", token);
    return to ? [{ to, weight }] : [];
  });
}
