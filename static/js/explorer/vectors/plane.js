/** All queries and keys of one head as points of one plane; the chosen query is joined to the keys it reads most. */

import { el, fill, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { briefLabel } from "../../wording/labels.js";
import { context } from "../../charts/thumbnail_sheet.js";
import { fitPlane, nearest, placeNames } from "./plane_layout.js";
import { axesOf, legendOf, line, nameText, NAME_HEIGHT, reachOf, shape, zeroMark } from "./plane_marks.js";
import { caution, definition, spokenPoint, tableOf } from "./plane_words.js";
import { isolated } from "../../wording/token_text.js";

/** @typedef {import("../../api/query_key_plane.js").Plane} Plane */
/** @typedef {import("./plane_layout.js").Spot} Spot */
/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {"query" | "key"} Role */
/** @typedef {Spot & {role: Role, token: number, place: number}} Point  `place` among those of its role */

/**
 * @typedef {object} PlaneData
 * @property {Plane} plane
 * @property {Token[]} queries
 * @property {Token[]} keys
 * @property {number | null} query  the chosen one
 * @property {number | null} key
 * @property {number | null} weight  of this key for this query
 * @property {number | null} pointedQuery
 * @property {number | null} pointedKey
 * @property {0 | 1} numbering
 */

/** With so many tokens every point is named where there is room. */
const FEW_TOKENS = 48;
const MANY_POINTS = 300;
const REACH = 18;
/** Pixels by which marks of what is chosen or pointed at are larger than points. */
const LARGER = { chosen: 4, pointed: 3 };
const LONGEST_NAME = 16;

/**
 * @param {HTMLElement} element
 * @param {PlaneData} data
 * @param {{onPick: (role: Role, token: number) => void, onPoint: (at: {role: Role, token: number} | null) => void}} options
 * @returns {import("../../api/types.js").View<PlaneData>}
 */
export function queryKeyPlaneView(element, data, { onPick, onPoint }) {
  const what = el("p", { class: "note" });
  const legend = el("p", { class: "plane-legend" });
  const layers = ["axes", "lines", "links", "points", "marks", "pointer", "names"].map((name) =>
    svg("g", { class: `plane-${name}` }),
  );
  const [axes, lines, links, points, marks, pointer, names] = layers;
  const picture = svg("svg", { "aria-hidden": "true" }, ...layers);
  const label = t("Queries and keys as points; left and right go through tokens, up and down between query and key");
  const frame = el("div", { class: "plane-frame", tabindex: 0, role: "group", "aria-label": label }, picture);
  frame.setAttribute("aria-describedby", "plane-readout");
  const readout = el("p", { class: "plane-readout", id: "plane-readout", "aria-live": "polite" });
  const limits = el("p", { class: "note plane-limits" });
  const named = t("The points as a table");
  const table = el("div", { class: "table-scroller", tabindex: 0, role: "region", "aria-label": named });
  const details = el("details", { class: "disclosure" }, el("summary", {}, t("Read the points as a table")), table);
  const title = el("h3", { class: "plane-title", id: "plane-title" }, t("All queries and keys of this head"));
  fill(
    element,
    el(
      "section",
      { class: "plane", "aria-labelledby": "plane-title" },
      title,
      what,
      legend,
      frame,
      readout,
      limits,
      details,
    ),
  );

  let current = data;
  /** @type {Point[]} keys first, as they are drawn */
  let spots = [];
  let size = { width: 0, height: 0, size: 5 };
  let font = "";
  /** @type {Set<Point>} */
  let labelled = new Set();
  /** @type {Point | null} where the keyboard is */
  let at = null;
  const ruler = context(document.createElement("canvas"));
  const watcher = new ResizeObserver(() => frame.clientWidth !== size.width && draw());
  watcher.observe(frame);

  details.addEventListener("toggle", drawTable);
  frame.addEventListener("pointermove", (event) => tell(under(event)));
  frame.addEventListener("pointerleave", () => tell(null));
  frame.addEventListener("click", (event) => pick(under(event)));
  frame.addEventListener("focus", () => frame.matches(":focus-visible") && move(at ?? start()));
  frame.addEventListener("blur", () => tell(null));
  frame.addEventListener("keydown", (event) => {
    const from = at ?? start();
    if (!from) return;
    const { role, place } = from;
    const last = ofRole(role).length - 1;
    /** @type {Record<string, () => void>} */
    const steps = {
      ArrowRight: () => move(ofRole(role)[Math.min(place + 1, last)]),
      ArrowLeft: () => move(ofRole(role)[Math.max(place - 1, 0)]),
      ArrowUp: () => move(across(from)),
      ArrowDown: () => move(across(from)),
      Home: () => move(ofRole(role)[0]),
      End: () => move(ofRole(role)[last]),
      Enter: () => pick(from),
      " ": () => pick(from),
    };
    if (!Object.hasOwn(steps, event.key)) return;
    event.preventDefault();
    steps[event.key]();
  });

  /** @param {Role} role */
  function ofRole(role) {
    return spots.filter((spot) => spot.role === role);
  }

  /**
   * @param {Role} role
   * @param {number | null} token
   */
  function find(role, token) {
    return spots.find((spot) => spot.role === role && spot.token === token) ?? null;
  }

  function start() {
    return find("query", current.query) ?? ofRole("query")[0] ?? null;
  }

  /** @param {Point} from */
  function across({ role, token }) {
    const others = ofRole(role === "query" ? "key" : "query");
    return others.find((spot) => spot.token >= token) ?? others[others.length - 1];
  }

  /** @param {Point | null} point */
  function move(point) {
    at = point;
    tell(point);
  }

  /** @param {Point | null} point */
  function tell(point) {
    onPoint(point && { role: point.role, token: point.token });
  }

  /** @param {Point | null} point */
  function pick(point) {
    if (!point) return;
    at = point;
    onPick(point.role, point.token);
  }

  /** @param {MouseEvent} event */
  function under({ clientX, clientY }) {
    const { left, top } = picture.getBoundingClientRect();
    return nearest(spots, { x: clientX - left, y: clientY - top }, REACH);
  }

  function draw() {
    const { plane } = current;
    const width = frame.clientWidth;
    fill(what, definition(plane));
    fill(limits, caution(current));
    drawTable();
    if (width === 0) return;
    const { fontSize, fontFamily } = getComputedStyle(names);
    font = `${fontSize} ${fontFamily}`;
    const [ofKeys, ofQueries] = [plane.keys.coordinates, plane.queries.coordinates];
    const { height, place } = fitPlane([...ofKeys, ...ofQueries], width);
    const count = ofKeys.length + ofQueries.length;
    size = { width, height, size: count > MANY_POINTS ? 3 : 5 };
    spots = [
      ...plane.keys.indices.map((token, at) => point("key", token, at, place(ofKeys[at]))),
      ...plane.queries.indices.map((token, at) => point("query", token, at, place(ofQueries[at]))),
    ];
    at = at && find(at.role, at.token);
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) {
      picture.setAttribute(name, String(value));
    }
    points.classList.toggle("is-many", count > MANY_POINTS);
    fill(points, shape("key", ofRole("key"), size.size), shape("query", ofRole("query"), size.size));
    const zero = place(plane.origin);
    const isSeen = zero.x > 8 && zero.x < width - 8 && zero.y > 8 && zero.y < height - 8;
    fill(axes, ...axesOf(plane, place, size), isSeen && zeroMark(zero, 7));
    fill(legend, ...legendOf(isSeen));
    drawChosen();
    drawPointed();
  }

  function drawChosen() {
    const query = find("query", current.query);
    const key = find("key", current.key);
    const read = query ? linksOf(query) : [];
    if (query && key && current.weight !== null && !read.some(({ to }) => to === key)) {
      read.push({ to: key, weight: current.weight });
    }
    fill(lines, ...(query ? read.map((link) => line(query, link, link.to === key ? " is-chosen" : "")) : []));
    fill(marks, ...[key, query].map((one) => one && shape(one.role, [one], size.size + LARGER.chosen)));
    const isFew = Math.max(current.queries.length, current.keys.length) <= FEW_TOKENS;
    const others = isFew ? [...ofRole("key"), ...ofRole("query")] : [];
    const wanted = new Set([query, key, ...read.map(({ to }) => to), ...others].filter((one) => one !== null));
    const given = [...wanted].map((one) => nameBox(one, one === query || one === key ? LARGER.chosen : 0));
    const marked = given.filter(({ needed }) => needed).map(({ at, size: reach }) => ({ ...at, reach }));
    const corners = placeNames(given, [...spots, ...marked], size);
    labelled = new Set(given.filter((_, index) => corners[index]).map(({ at }) => at));
    fill(names, ...given.map((name, index) => written(name, corners[index])));
  }

  function drawPointed() {
    const pointed = [find("query", current.pointedQuery), find("key", current.pointedKey)].filter(
      (one) => one !== null,
    );
    const [first] = pointed;
    const given = pointed.filter((one) => !labelled.has(one)).map((one) => nameBox(one, LARGER.pointed));
    fill(links, ...(pointed.length === 1 ? linksOf(first).map((link) => line(first, link, " is-pointed")) : []));
    fill(
      pointer,
      ...pointed.map((one) => shape(one.role, [one], size.size + LARGER.pointed)),
      ...given.map((name) => written(name, placeNames([name], [], size)[0])),
    );
    const rest = t("Point at a point to read it; a click chooses it. Arrow keys move, Enter chooses.");
    fill(readout, ...(first ? spokenPoint(first, current) : [rest]));
  }

  /** @param {Point} point */
  function linksOf({ role, place }) {
    const { queries, keys } = current.plane;
    const side = role === "query" ? queries : keys;
    const other = role === "query" ? "key" : "query";
    return side.partner_indices[place].flatMap((token, index) => {
      const weight = side.partner_weights[place][index];
      const to = weight > 0 && find(other, token);
      return to ? [{ to, weight }] : [];
    });
  }

  /**
   * @param {Point} at
   * @param {number} larger  than a point; 0 for one that is no more than a point
   */
  function nameBox(at, larger) {
    const label = briefLabel((at.role === "query" ? current.queries : current.keys)[at.token]);
    const signs = [...label];
    const text = isolated(signs.length > LONGEST_NAME ? `${signs.slice(0, LONGEST_NAME - 1).join("")}…` : label);
    ruler.font = `${larger > 0 ? 700 : 400} ${font}`;
    const box = { width: ruler.measureText(text).width + 2, height: NAME_HEIGHT };
    return { at, text, ...box, size: reachOf(at.role, size.size + larger), needed: larger > 0 };
  }

  function drawTable() {
    if (!details.open) return fill(table);
    fill(table, tableOf(current));
  }

  draw();
  return {
    update(next) {
      const isPointing = Object.entries(next).every(
        ([name, value]) => name.startsWith("pointed") || current[/** @type {keyof PlaneData} */ (name)] === value,
      );
      current = next;
      if (isPointing) drawPointed();
      else draw();
    },
    destroy() {
      watcher.disconnect();
      element.replaceChildren();
    },
  };
}

/**
 * @param {Role} role
 * @param {number} token
 * @param {number} place
 * @param {Spot} spot
 * @returns {Point}
 */
function point(role, token, place, spot) {
  return { ...spot, role, token, place };
}

/**
 * @param {{at: Point, text: string, needed: boolean}} name
 * @param {Spot | null} corner  null where there is no room
 */
function written({ at, text, needed }, corner) {
  return corner && nameText(corner, text, `is-${at.role}${needed ? " is-chosen" : ""}`);
}
