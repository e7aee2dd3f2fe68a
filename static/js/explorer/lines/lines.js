/** Two columns of tokens joined by lines: which tokens attend to which, in several heads at once. */

import { apartName } from "../../wording/token_apart.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { linksOf, meanWeights, topKeys } from "./links.js";
import { sized } from "../../charts/heat_map/cell_frames.js";
import { fixed } from "../../base/numbers.js";
import { remembering } from "../../base/memoise.js";
import { changes, differs } from "../../base/mount.js";
import { whenSized } from "../../base/theme/paper.js";
import { atTypeSize } from "../../base/theme/type_scale.js";
import { ROW, fitted } from "./row_window.js";
import { tokenColumnView } from "./token_column.js";

/** @typedef {import("./links.js").Link} Link */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {{side: "query" | "key", place: number}} Followed  a token whose lines are shown */

/**
 * @typedef {object} Series  a head, or the mean of some
 * @property {string} name
 * @property {string} color
 * @property {number[]} dash
 * @property {(query: number) => Float32Array | null} row  weights of the query at a place, null while fetched
 */

/**
 * @typedef {object} LinesData
 * @property {Token[]} queries
 * @property {Token[]} keys
 * @property {Series[]} series  a new list whenever rows have come
 * @property {number} top  0…1: the share of each row that is drawn
 * @property {number | null} query  place of the chosen one
 * @property {Followed | null} locked
 * @property {Followed | null} pointed
 * @property {boolean} isOneText  queries and keys are the same tokens: they scroll together
 * @property {0 | 1} numbering
 */

/**
 * @typedef {object} LinesOptions
 * @property {(at: Followed | null) => void} onPoint
 * @property {(at: Followed | null) => void} onLock
 * @property {(queries: Range) => void} onView  which queries are in view
 */

const LISTED = 5;
/** @typedef {"query" | "key"} Side */
const SIDES = /** @type {const} */ (["query", "key"]);

/**
 * @param {HTMLElement} element
 * @param {LinesData} data
 * @param {LinesOptions} options
 * @returns {import("../../base/mount.js").View<LinesData>}
 */
export function linesView(element, data, { onPoint, onLock, onView }) {
  const { boxes, middle, all, some, note, readout } = layOut(element);
  let current = data;
  /** Those in view; null when they must be found anew. @type {ReturnType<typeof linksOf> | null} */
  let drawn = null;
  let isNew = true;
  let size = { width: 0, height: 0, row: ROW };
  const weightsOf = remembering(meanWeights);
  const columns = createColumns(boxes, columnData, { onPoint, onLock, onScroll: scrolled });
  const stopSizing = whenSized(middle, draw);

  function followed() {
    return current.pointed ?? current.locked;
  }

  /** Weights to be written beside the tokens of a side. @param {Side} side */
  function shares(side) {
    const token = followed();
    return token && token.side !== side ? weightsOf(current.series, current.queries.length, token) : null;
  }

  /** @param {Side} side */
  function columnData(side) {
    const { locked, pointed, numbering } = current;
    const placeOn = (/** @type {Followed | null} */ token) => (token?.side === side ? token.place : null);
    const tokens = tokensOf(current, side);
    return { tokens, numbering, locked: placeOn(locked), pointed: placeOn(pointed), shares: shares(side) };
  }

  /** @param {Side} side */
  function scrolled(side) {
    const other = columns[side === "query" ? "key" : "query"];
    if (current.isOneText && !current.locked) other.scrollTo(columns[side].scrollTop());
    drawn = null;
    draw();
  }

  function draw() {
    const rows = fitted(Math.max(current.queries.length, current.keys.length), mostHeight(element), atTypeSize(1));
    const { row, height } = rows;
    for (const side of SIDES) columns[side].resize(rows);
    // What a link points at is in view from the start.
    if (isNew && current.locked) columns[current.locked.side].show(current.locked.place);
    else if (isNew && current.query !== null) columns.query.reveal(current.query);
    isNew = false;
    const width = middle.clientWidth;
    if (width === 0) return;
    middle.style.height = `${height}px`;
    onView(columns.query.range());
    const isOther = drawn === null || differs(size, { width, height, row });
    drawn ??= linksIn(current, columns.query.range(), followed());
    size = { width, height, row };
    if (isOther) paint(all, drawn.links, current.series, size, columns);
    note.textContent = countNote(drawn.links.length, drawn.count);
    follow();
  }

  /** Everything that one token followed changes: nothing here asks for a layout after it has changed something. */
  function follow() {
    const token = followed();
    const links = token && drawn ? drawn.links.filter((link) => link[token.side] === token.place) : [];
    paint(some, links, current.series, size, columns);
    middle.classList.toggle("is-following", token !== null);
    for (const side of SIDES) columns[side].mark(columnData(side));
    fill(readout, token && described(current, token, shares(token.side === "query" ? "key" : "query")));
  }

  return {
    update(next) {
      const before = current;
      current = next;
      const isOther = changes(before, next);
      if (isOther("series", "top", "queries", "keys", "locked")) drawn = null;
      if (!differs(before, next, ["pointed"])) return follow();
      for (const side of SIDES) columns[side].update(columnData(side));
      if (next.query !== null && isOther("query")) columns.query.reveal(next.query);
      draw();
    },
    destroy() {
      stopSizing();
      element.replaceChildren();
    },
  };
}

/**
 * @param {LinesData} data
 * @param {Side} side
 */
function tokensOf({ queries, keys }, side) {
  return side === "query" ? queries : keys;
}

/**
 * @param {Record<Side, HTMLElement>} boxes
 * @param {(side: Side) => import("./token_column.js").ColumnData} dataOf
 * @param {Pick<LinesOptions, "onPoint" | "onLock"> & {onScroll: (side: Side) => void}} options
 */
function createColumns(boxes, dataOf, { onPoint, onLock, onScroll }) {
  const [query, key] = SIDES.map((side) => {
    const tokenOf = (/** @type {number | null} */ place) => (place === null ? null : { side, place });
    return tokenColumnView(boxes[side], dataOf(side), {
      side,
      onPoint: (place) => onPoint(tokenOf(place)),
      onLock: (place) => onLock(tokenOf(place)),
      onScroll: () => onScroll(side),
    });
  });
  return { query, key };
}

/**
 * The lines of the queries in view, and of the one followed.
 * @param {LinesData} data
 * @param {Range} view
 * @param {Followed | null} token
 */
function linksIn({ series, top }, [first, end], token) {
  const places = Array.from({ length: end - first }, (_, index) => first + index);
  if (token?.side === "query" && (token.place < first || token.place >= end)) places.push(token.place);
  return linksOf(series, places, top);
}

/** @param {HTMLElement} element */
function layOut(element) {
  const boxes = {
    query: el("div", { class: "lines-column is-query" }),
    key: el("div", { class: "lines-column is-key" }),
  };
  const all = el("canvas", { class: "lines-all", "aria-hidden": "true" });
  const some = el("canvas", { class: "lines-some", "aria-hidden": "true" });
  const middle = el("div", { class: "lines-middle" }, all, some);
  const heads = [
    el("p", { class: "axes is-query" }, t("query: attends to")),
    el("p", { class: "axes lines-arrow", "aria-hidden": "true" }, "→"),
    el("p", { class: "axes is-key" }, t("key: is attended to by")),
  ];
  const note = el("p", { class: "note" });
  const readout = el("div", { class: "lines-readout", "aria-live": "polite" });
  fill(element, el("div", { class: "lines" }, ...heads, boxes.query, middle, boxes.key), note, readout);
  return { boxes, middle, all, some, note, readout };
}

/** So high that the columns are on the screen; longer ones scroll. @param {HTMLElement} element */
function mostHeight(element) {
  return Number.parseFloat(getComputedStyle(element).getPropertyValue("--lines-height"));
}

/**
 * @param {number} drawn
 * @param {number} count
 */
function countNote(drawn, count) {
  if (count === drawn) return t("Lines drawn: {count}", { count });
  return t("The strongest {drawn} of {count} lines are drawn.", { drawn, count });
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Link[]} links
 * @param {Series[]} series
 * @param {{width: number, height: number, row: number}} size  `row`: height of a token
 * @param {Record<"query" | "key", Pick<ReturnType<typeof tokenColumnView>, "middle">>} columns
 */
function paint(canvas, links, series, size, columns) {
  const ratio = devicePixelRatio || 1;
  const target = sized(canvas, size, ratio);
  target.setTransform(ratio, 0, 0, ratio, 0, 0);
  const { width } = size;
  const unit = size.row / ROW;
  const spread = unit * Math.min(3, (ROW - 8) / Math.max(1, series.length));
  target.lineCap = "round";
  for (const { head, query, key, weight } of links) {
    const shift = (head - (series.length - 1) / 2) * spread;
    const [from, to] = [columns.query.middle(query) + shift, columns.key.middle(key) + shift];
    target.strokeStyle = series[head].color;
    target.globalAlpha = 0.15 + 0.85 * Math.sqrt(weight);
    target.lineWidth = unit * (0.75 + 4.25 * weight);
    target.setLineDash(series[head].dash);
    target.beginPath();
    target.moveTo(0, from);
    target.bezierCurveTo(width * 0.4, from, width * 0.6, to, width, to);
    target.stroke();
  }
}

/**
 * The token followed, and those of the other side with the largest weights.
 * @param {LinesData} data
 * @param {Followed} at
 * @param {Float32Array | null} weights
 */
function described({ queries, keys, series, numbering }, { side, place }, weights) {
  const [own, others, other] = side === "query" ? [queries, keys, "key"] : [keys, queries, "query"];
  if (!own[place]) return null;
  const first = weights ? topKeys(weights, 1).slice(0, LISTED) : [];
  return el(
    "p",
    {},
    apartName(own, own[place], numbering, { class: `is-${side}` }),
    ` ${side === "query" ? t("attends to") : t("is attended to by")} `,
    ...first.flatMap((otherPlace, index) => [
      index > 0 && " · ",
      apartName(others, others[otherPlace], numbering, { class: `is-${other}` }),
      ` ${fixed(weights?.[otherPlace] ?? 0, 2)}`,
    ]),
    series.length > 1 && el("span", { class: "note" }, ` (${t("mean of the heads drawn")})`),
  );
}
