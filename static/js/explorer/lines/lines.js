/** Two columns of tokens joined by lines: who reads whom, in several heads at once. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { MOST_LINKS, strongest, topKeys } from "./links.js";
import { sized } from "../../charts/heat_map/cell_frames.js";
import { fixed } from "../../base/numbers.js";
import { remembering } from "../../base/memoise.js";
import { tokenName } from "../../wording/token_name.js";
import { differs } from "../../base/mount.js";
import { ROW, tokenColumnView } from "./token_column.js";

/** @typedef {import("./links.js").Link} Link */
/** @typedef {import("../../api/types.js").Range} Range */
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

const HEIGHT = { least: 300, most: 720, surroundings: 300 };
const LISTED = 5;

/**
 * @param {HTMLElement} element
 * @param {LinesData} data
 * @param {LinesOptions} options
 * @returns {import("../../api/types.js").View<LinesData>}
 */
export function linesView(element, data, { onPoint, onLock, onView }) {
  const left = el("div", { class: "lines-column is-query" });
  const right = el("div", { class: "lines-column is-key" });
  const all = el("canvas", { class: "lines-all", "aria-hidden": "true" });
  const some = el("canvas", { class: "lines-some", "aria-hidden": "true" });
  const middle = el("div", { class: "lines-middle" }, all, some);
  const heads = [
    el("p", { class: "axes is-query" }, t("query: reads")),
    el("p", { class: "axes lines-arrow", "aria-hidden": "true" }, "→"),
    el("p", { class: "axes is-key" }, t("key: is read")),
  ];
  const note = el("p", { class: "note" });
  const readout = el("div", { class: "lines-readout", "aria-live": "polite" });
  fill(element, el("div", { class: "lines" }, ...heads, left, middle, right), note, readout);

  let current = data;
  /** @type {Link[] | null} those in view, strongest last; null when they must be found anew */
  let links = null;
  let found = 0;
  let isNew = true;
  let size = { width: 0, height: 0 };
  const weightsOf = remembering(weightsWith);
  const columnData = (/** @type {"query" | "key"} */ side) => ({
    tokens: side === "query" ? current.queries : current.keys,
    numbering: current.numbering,
    locked: current.locked?.side === side ? current.locked.place : null,
    pointed: current.pointed?.side === side ? current.pointed.place : null,
    shares: shares(side),
  });
  const columnOptions = (/** @type {"query" | "key"} */ side) => ({
    side,
    onPoint: (/** @type {number | null} */ place) => onPoint(place === null ? null : { side, place }),
    onLock: (/** @type {number | null} */ place) => onLock(place === null ? null : { side, place }),
    onScroll: () => scrolled(side),
  });
  const columns = {
    query: tokenColumnView(left, columnData("query"), columnOptions("query")),
    key: tokenColumnView(right, columnData("key"), columnOptions("key")),
  };
  const watcher = new ResizeObserver(() => draw());
  watcher.observe(middle);

  function followed() {
    return current.pointed ?? current.locked;
  }

  /** @param {"query" | "key"} side */
  function scrolled(side) {
    const other = side === "query" ? "key" : "query";
    if (current.isOneText && !current.locked) columns[other].scrollTo(columns[side].scrollTop());
    links = null;
    draw();
  }

  /**
   * Weights between the token followed and every token of the other side, averaged over the heads drawn.
   * @param {"query" | "key"} side  to be written beside
   */
  function shares(side) {
    const at = followed();
    return at && at.side !== side ? weightsOf(current.series, current.queries, at) : null;
  }

  function findLinks() {
    const { series, top } = current;
    const [first, end] = columns.query.range();
    const at = followed();
    const places = Array.from({ length: end - first }, (_, index) => first + index);
    if (at?.side === "query" && (at.place < first || at.place >= end)) places.push(at.place);
    /** @type {Link[]} */
    const all = [];
    series.forEach(({ row }, head) => {
      for (const query of places) {
        const weights = row(query);
        if (weights) for (const key of topKeys(weights, top)) all.push({ head, query, key, weight: weights[key] });
      }
    });
    found = all.length;
    return strongest(all, MOST_LINKS).sort((one, other) => one.weight - other.weight);
  }

  function draw() {
    const { queries, keys } = current;
    const rows = Math.max(queries.length, keys.length);
    const most = Math.min(Math.max(innerHeight - HEIGHT.surroundings, HEIGHT.least), HEIGHT.most);
    const height = Math.min(rows * ROW, most);
    for (const column of Object.values(columns)) column.resize(height);
    // What a link points at is in view from the start.
    if (isNew && current.locked) columns[current.locked.side].show(current.locked.place);
    else if (isNew && current.query !== null) columns.query.reveal(current.query);
    isNew = false;
    const width = middle.clientWidth;
    if (width === 0) return;
    middle.style.height = `${height}px`;
    onView(columns.query.range());
    const isOther = links === null || differs(size, { width, height });
    links ??= findLinks();
    size = { width, height };
    if (isOther) paint(all, links);
    const drawn = links.length;
    note.textContent =
      found > drawn
        ? t("{drawn} of {count} lines are drawn, the strongest.", { drawn, count: found })
        : t("{count} lines", { count: drawn });
    follow();
  }

  /** Everything that one token followed changes: nothing here asks for a layout after it has changed something. */
  function follow() {
    const at = followed();
    paint(some, at && links ? links.filter((link) => link[at.side] === at.place) : []);
    middle.classList.toggle("is-following", at !== null);
    for (const side of /** @type {const} */ (["query", "key"])) columns[side].mark(columnData(side));
    describe(at);
  }

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Link[]} wanted
   */
  function paint(canvas, wanted) {
    const ratio = devicePixelRatio || 1;
    const target = sized(canvas, size, ratio);
    target.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { series } = current;
    const { width } = size;
    const spread = Math.min(3, (ROW - 8) / Math.max(1, series.length));
    target.lineCap = "round";
    for (const { head, query, key, weight } of wanted) {
      const shift = (head - (series.length - 1) / 2) * spread;
      const [from, to] = [columns.query.middle(query) + shift, columns.key.middle(key) + shift];
      target.strokeStyle = series[head].color;
      target.globalAlpha = 0.15 + 0.85 * Math.sqrt(weight);
      target.lineWidth = 0.75 + 4.25 * weight;
      target.setLineDash(series[head].dash);
      target.beginPath();
      target.moveTo(0, from);
      target.bezierCurveTo(width * 0.4, from, width * 0.6, to, width, to);
      target.stroke();
    }
  }

  /** @param {Followed | null} at */
  function describe(at) {
    const token = at && (at.side === "query" ? current.queries : current.keys)[at.place];
    fill(readout, ...(at && token ? [sentence(at, token)] : []));
  }

  /**
   * @param {Followed} at
   * @param {Token} token
   */
  function sentence(at, token) {
    const others = at.side === "query" ? current.keys : current.queries;
    const other = at.side === "query" ? "key" : "query";
    const weights = shares(other);
    const first = weights ? topKeys(weights, 1).slice(0, LISTED) : [];
    return el(
      "p",
      {},
      tokenName(token, { class: `is-${at.side}` }),
      " ",
      at.side === "query" ? t("reads from") : t("is read by"),
      " ",
      ...first.flatMap((place, index) => [
        index > 0 && " · ",
        tokenName(others[place], { class: `is-${other}` }),
        ` ${fixed(weights?.[place] ?? 0, 2)}`,
      ]),
      current.series.length > 1 && el("span", { class: "note" }, ` (${t("mean of the heads drawn")})`),
    );
  }

  return {
    update(next) {
      const before = current;
      current = next;
      const needed = /** @type {const} */ (["series", "top", "queries", "keys", "locked"]);
      if (needed.some((name) => next[name] !== before[name])) links = null;
      if (!differs({ ...before, pointed: null }, { ...next, pointed: null })) return follow();
      columns.query.update(columnData("query"));
      columns.key.update(columnData("key"));
      if (next.query !== null && next.query !== before.query) columns.query.reveal(next.query);
      draw();
    },
    destroy() {
      watcher.disconnect();
      columns.query.destroy();
      columns.key.destroy();
      element.replaceChildren();
    },
  };
}

/**
 * The weights between a token and every token of the other side, averaged over the heads.
 * @param {Series[]} series
 * @param {Token[]} queries
 * @param {Followed} at
 */
function weightsWith(series, queries, { side, place }) {
  if (side === "query") return meanOf(series.map(({ row }) => row(place)));
  const column = (/** @type {Series} */ { row }) => Float32Array.from(queries, (_, query) => row(query)?.[place] ?? 0);
  return meanOf(series.map(column));
}

/** @param {(Float32Array | null)[]} rows */
function meanOf(rows) {
  const known = rows.filter((row) => row !== null);
  if (known.length === 0) return null;
  if (known.length === 1) return known[0];
  return known[0].map((_, place) => known.reduce((sum, row) => sum + row[place], 0) / known.length);
}
