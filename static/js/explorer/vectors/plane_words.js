/** Texts about the query–key plane. */

import { numberedLabel } from "../../wording/token_apart.js";
import { sentences, t } from "../../base/i18n.js";
import { exact, fixed } from "../../base/numbers.js";
import { numberedName } from "../../wording/token_name.js";

/** @typedef {import("./plane.js").PlaneData} PlaneData */
/** @typedef {import("./plane.js").Role} Role */

/**
 * @param {import("../../api/query_key_plane.js").Plane} plane
 * @returns {string}
 */
export function definition({ factor, explained: [first, second] }) {
  return sentences([
    t(
      "Each query and each key of this head is a point, as in AttentionViz (Yeh et al. 2023). For display, queries are multiplied by {factor} and keys divided by it, which changes no score, and all keys are shifted by the same vector, which adds the same constant to every score of a row, so softmax gives the same weights.",
      { factor: fixed(factor, 2) },
    ),
    t("The axes are the two directions in which all points together vary most; they hold {share} % of the variance.", {
      share: percent(first + second),
    }),
  ]);
}

/**
 * What the chart does not show.
 * @param {PlaneData} data
 * @returns {string}
 */
export function caution({ plane, queries, keys }) {
  /** @type {Record<(typeof plane.beside)[number], string>} */
  const beside = {
    bias: t("A position bias is added to the scores; the plane shows the products alone."),
    mask: t("Some keys are masked for a query, however close they are."),
    change: t("This head's scores were changed: points show its vectors, lines what it attends to after the change."),
    cap: t("Scores are capped before the softmax: their order stays, but the largest differ less than distances do."),
  };
  const isSample = plane.queries.indices.length < queries.length || plane.keys.indices.length < keys.length;
  const shown = { queries: plane.queries.indices.length, keys: plane.keys.indices.length };
  return sentences([
    t(
      "Close does not mean attended: a weight depends on the whole dot product, including the vectors' lengths and the directions not shown here.",
    ),
    ...plane.beside.map((what) => beside[what]),
    isSample && t("{queries} queries and {keys} keys are shown.", shown),
  ]);
}

/**
 * A point with its strongest partners.
 * @param {{role: Role, token: number, place: number}} point
 * @param {PlaneData} data
 * @returns {(Node | string)[]}
 */
export function spokenPoint({ role, token, place }, { plane, queries, keys, numbering }) {
  const isQuery = role === "query";
  const side = isQuery ? plane.queries : plane.keys;
  const [own, others] = isQuery ? [queries, keys] : [keys, queries];
  const named = (/** @type {import("../../api/types.js").Token} */ token, /** @type {string} */ kind) =>
    numberedName(token, numbering, { class: kind });
  const partners = side.partner_indices[place].flatMap((partner, index) => {
    const weight = side.partner_weights[place][index];
    return weight > 0 ? [[...named(others[partner], isQuery ? "is-key" : "is-query"), ` ${exact(weight)}`]] : [];
  });
  const verb = isQuery ? t("attends most to:") : t("is attended to most by:");
  return [
    isQuery ? t("query") : t("key"),
    " ",
    ...named(own[token], `is-${role}`),
    " ",
    partners.length > 0
      ? verb
      : isQuery
        ? t("attends to nothing shown here")
        : t("is attended to by nothing shown here"),
    " ",
    ...partners.flatMap((partner, index) => (index === 0 ? partner : [" · ", ...partner])),
  ];
}

/**
 * The same in lines, for a label beside the point.
 * @param {{role: Role, token: number, place: number}} point
 * @param {PlaneData} data
 * @returns {string[]}
 */
export function pointLines({ role, token, place }, { plane, queries, keys, numbering }) {
  const isQuery = role === "query";
  const side = isQuery ? plane.queries : plane.keys;
  const [own, others] = isQuery ? [queries, keys] : [keys, queries];
  const named = (/** @type {import("../../api/types.js").Token} */ token) => numberedLabel(token, numbering);
  const partners = side.partner_indices[place].flatMap((partner, index) => {
    const weight = side.partner_weights[place][index];
    return weight > 0 ? [`${named(others[partner])}  ${exact(weight)}`] : [];
  });
  const verb = isQuery ? t("attends most to:") : t("is attended to most by:");
  return [
    `${isQuery ? t("query") : t("key")} ${named(own[token])}`,
    ...(partners.length > 0 ? [verb, ...partners] : []),
  ];
}

/**
 * Every point in words.
 * @param {PlaneData} data
 * @returns {string[][]}  role, token, axes, strongest partner, its weight
 */
function rowsOfTable({ plane, queries, keys, numbering }) {
  const said = (/** @type {import("../../api/types.js").Token} */ token) => numberedLabel(token, numbering);
  return /** @type {Role[]} */ (["query", "key"]).flatMap((role) => {
    const isQuery = role === "query";
    const side = isQuery ? plane.queries : plane.keys;
    const [own, others] = isQuery ? [queries, keys] : [keys, queries];
    return side.indices.map((token, place) => {
      const [partner, weight] = [side.partner_indices[place][0], side.partner_weights[place][0]];
      const axes = side.coordinates[place].map((value) => fixed(value, 3));
      const reads = weight > 0 ? [said(others[partner]), exact(weight)] : ["–", "–"];
      return [isQuery ? t("query") : t("key"), said(own[token]), ...axes, ...reads];
    });
  });
}

/**
 * @param {PlaneData} data
 * @returns {import("../../charts/plots/plot_data.js").NumberTable}
 */
export function tableOf(data) {
  const columns = [t("point"), t("token"), t("axis 1"), t("axis 2"), t("strongest partner"), t("weight")];
  return { columns, rows: rowsOfTable(data) };
}

/**
 * The picture in a sentence.
 * @param {PlaneData} data
 * @returns {string}
 */
export function summary({ plane }) {
  const counts = { queries: plane.queries.indices.length, keys: plane.keys.indices.length };
  return t("{queries} queries and {keys} keys as points; nearby ones often have large dot products.", counts);
}

/**
 * @param {import("../../api/query_key_plane.js").Plane} plane
 * @returns {{x: string, y: string}}
 */
export function axisNames({ explained }) {
  const [x, y] = explained.map((share, axis) =>
    t("axis {number}: {share} %", { number: axis + 1, share: percent(share) }),
  );
  return { x, y };
}

/**
 * @param {number} share
 * @returns {string}
 */
function percent(share) {
  return fixed(100 * share, share > 0 && share < 0.01 ? 1 : 0);
}
