/** The query–key plane as a scatter plot: which points there are, which stand out, and what joins them. */

import { briefLabel } from "../../wording/labels.js";
import { isolated } from "../../wording/token_text.js";
import { t } from "../../base/i18n.js";
import { axisNames, pointLines, summary, tableOf } from "./plane_words.js";

/** @typedef {import("../../charts/plots/scatter_data.js").At} At */
/** @typedef {import("../../charts/plots/scatter_data.js").Link} Link */
/** @typedef {import("../../charts/plots/scatter_data.js").Scatter} Scatter */
/** @typedef {import("../../charts/plots/scatter_data.js").ScatterSeries} ScatterSeries */
/** @typedef {import("./plane.js").PlaneData} PlaneData */
/** @typedef {import("./plane.js").Role} Role */
/** @typedef {{role: Role, token: number}} PlanePoint */

/** In the order in which they are drawn. @type {readonly Role[]} */
const ROLES = ["key", "query"];
const LONGEST_NAME = 16;

/** @param {PlanePoint} point @returns {At} */
export function atOf({ role, token }) {
  return { series: ROLES.indexOf(role), id: token };
}

/** @param {At} at @returns {PlanePoint} */
export function pointOf({ series, id }) {
  return { role: ROLES[series], token: id };
}

/**
 * The place of a token among the points of its role.
 * @param {PlaneData["plane"]} plane
 * @param {PlanePoint} point
 * @returns {number}  −1 if it is not shown
 */
export function placeOf(plane, { role, token }) {
  return (role === "query" ? plane.queries : plane.keys).indices.indexOf(token);
}

/**
 * @param {PlaneData} data
 * @returns {ScatterSeries[]}
 */
export function seriesOf(data) {
  const { plane, queries, keys } = data;
  return ROLES.map((role) => {
    const [side, tokens] = role === "query" ? [plane.queries, queries] : [plane.keys, keys];
    return {
      name: role === "query" ? t("query") : t("key"),
      colour: role,
      kind: role === "query" ? "circle" : "diamond",
      ids: side.indices,
      points: side.coordinates,
      nameOf: (index) => nameOf(tokens[side.indices[index]]),
      linesOf: (index) => pointLines({ role, token: side.indices[index], place: index }, data),
    };
  });
}

/**
 * All but what follows the pointer.
 * @param {PlaneData} data
 * @param {ScatterSeries[]} series
 * @returns {Scatter}
 */
export function scatterOf(data, series) {
  const { plane, query, key, weight, selected, of } = data;
  const chosen = present(plane, { query, key });
  const links = query === null ? [] : linksOf(plane, { role: "query", token: query });
  const joined = links.map((link) => ({ ...link, isChosen: link.to.id === key }));
  if (
    query !== null &&
    key !== null &&
    weight !== null &&
    chosen.length === 2 &&
    !joined.some((line) => line.isChosen)
  ) {
    const [from, to] = [atOf({ role: "query", token: query }), atOf({ role: "key", token: key })];
    joined.push({ from, to, weight, isChosen: true });
  }
  return {
    of,
    title: t("All queries and keys of this head"),
    summary: summary(data),
    numbers: () => tableOf(data),
    rows: Infinity,
    series,
    axes: axisNames(plane),
    zero: plane.origin,
    chosen,
    links: joined,
    selected: selected.map(atOf),
    ...pointedIn(data),
  };
}

/**
 * What follows the pointer; from a single point, lines lead to its strongest partners.
 * @param {PlaneData} data
 * @returns {Pick<Scatter, "pointed" | "pointedLinks">}
 */
export function pointedIn({ plane, pointedQuery, pointedKey }) {
  const pointed = present(plane, { query: pointedQuery, key: pointedKey });
  return { pointed, pointedLinks: pointed.length === 1 ? linksOf(plane, pointOf(pointed[0])) : [] };
}

/**
 * @param {PlaneData["plane"]} plane
 * @param {Record<Role, number | null>} tokens
 * @returns {At[]}  those that are shown, the query first
 */
function present(plane, { query, key }) {
  const points = [
    query === null ? [] : { role: /** @type {Role} */ ("query"), token: query },
    key === null ? [] : { role: /** @type {Role} */ ("key"), token: key },
  ];
  return points
    .flat()
    .filter((point) => placeOf(plane, point) >= 0)
    .map(atOf);
}

/**
 * From a query to the keys it attends to most, or from a key to the queries that attend to it most.
 * @param {PlaneData["plane"]} plane
 * @param {PlanePoint} point
 * @returns {Link[]}
 */
function linksOf(plane, point) {
  const isQuery = point.role === "query";
  const { partner_indices: partners, partner_weights: weights } = isQuery ? plane.queries : plane.keys;
  const place = placeOf(plane, point);
  if (place < 0) return [];
  return partners[place].flatMap((token, index) => {
    const to = { role: /** @type {Role} */ (isQuery ? "key" : "query"), token };
    const weight = weights[place][index];
    return weight > 0 && placeOf(plane, to) >= 0 ? [{ from: atOf(point), to: atOf(to), weight }] : [];
  });
}

/** @param {import("../../api/types.js").Token} token */
function nameOf(token) {
  const label = briefLabel(token);
  const signs = [...label];
  return isolated(signs.length > LONGEST_NAME ? `${signs.slice(0, LONGEST_NAME - 1).join("")}…` : label);
}
