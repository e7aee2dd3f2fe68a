/** Query–key plane: all queries and keys of one head as points; lines join the chosen query to its strongest keys. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { differs, drawnView } from "../../base/mount.js";
import { tableDisclosure } from "../widgets/number_table.js";
import { nearest, nextPoint } from "./plane_layout.js";
import { legendOf } from "./plane_marks.js";
import { findPoint, layOutPoints } from "./plane_points.js";
import { createPlanePicture } from "./plane_picture.js";
import { caution, definition, spokenPoint, tableOf } from "./plane_words.js";

/** @typedef {import("../../api/query_key_plane.js").Plane} Plane */
/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {"query" | "key"} Role */
/** @typedef {import("./plane_points.js").Point} Point */

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

/** Pixels from a point at which it is still pointed at. */
const REACH = 18;

/**
 * @param {HTMLElement} element
 * @param {PlaneData} data
 * @param {{onPick: (role: Role, token: number) => void, onPoint: (at: {role: Role, token: number} | null) => void}} options
 * @returns {import("../../base/mount.js").View<PlaneData>}
 */
export function queryKeyPlaneView(element, data, { onPick, onPoint }) {
  /** @type {PlaneData | null} */
  let current = null;
  /** @type {import("./plane_points.js").Points | null} null while there is no room to draw */
  let points = null;
  /** @type {Point | null} where the keyboard is */
  let at = null;
  const picture = createPlanePicture();
  const table = tableDisclosure({
    ...{ label: t("The points as a table"), summary: t("Show the points as a table") },
    make: () => current && [tableOf(current)],
  });
  const { frame, what, legend, readout, limits } = layOut(element, picture.element, table.element);
  const watcher = new ResizeObserver(() => frame.clientWidth !== points?.width && current && draw(current));
  watcher.observe(frame);

  const start = () =>
    points &&
    (findPoint(points, "query", current?.query ?? null) ?? points.spots.find((one) => one.role === "query") ?? null);
  const tell = (/** @type {Point | null} */ point) => onPoint(point && { role: point.role, token: point.token });
  const move = (/** @type {Point | null} */ point) => tell((at = point));
  const under = (/** @type {MouseEvent} */ { clientX, clientY }) => {
    const { left, top } = picture.element.getBoundingClientRect();
    return nearest(points?.spots ?? [], { x: clientX - left, y: clientY - top }, REACH);
  };
  /** @param {Point | null} point */
  function pick(point) {
    if (!point) return;
    at = point;
    onPick(point.role, point.token);
  }

  frame.addEventListener("pointermove", (event) => tell(under(event)));
  frame.addEventListener("pointerleave", () => tell(null));
  frame.addEventListener("click", (event) => pick(under(event)));
  frame.addEventListener("focus", () => frame.matches(":focus-visible") && move(at ?? start()));
  frame.addEventListener("blur", () => tell(null));
  frame.addEventListener("keydown", (event) => {
    const from = at ?? start();
    if (!from || !points) return;
    const next = nextPoint(points.spots, from, event.key);
    if (next) move(next);
    else if (event.key === "Enter" || event.key === " ") pick(from);
    else return;
    event.preventDefault();
  });

  /** @param {PlaneData} next */
  function draw(next) {
    const isPointing = current !== null && !differs(current, next, ["pointedQuery", "pointedKey"]);
    const isSameWidth = points?.width === frame.clientWidth;
    current = next;
    if (!isPointing || !isSameWidth) {
      fill(what, definition(next.plane));
      fill(limits, caution(next));
      table.draw();
      points = frame.clientWidth > 0 ? layOutPoints(next.plane, frame.clientWidth) : null;
      at = at && points && findPoint(points, at.role, at.token);
      if (points) fill(legend, ...legendOf(points.isOriginSeen));
      if (points) picture.draw(points, next);
    }
    if (!points) return;
    const pointed = picture.point(points, next);
    const rest = t("Hover over a point to read it, click to choose it. Arrow keys move, Enter chooses.");
    fill(readout, ...(pointed ? spokenPoint(pointed, next) : [rest]));
  }

  return drawnView(element, data, draw, () => watcher.disconnect());
}

/**
 * @param {HTMLElement} element
 * @param {SVGElement} picture
 * @param {HTMLElement} details
 */
function layOut(element, picture, details) {
  const what = el("p", { class: "note" });
  const legend = el("p", { class: "plane-legend" });
  const label = t(
    "Queries and keys as points; the left and right arrow keys go through tokens, up and down switch between query and key",
  );
  const frame = el(
    "div",
    { class: "plane-frame", tabindex: 0, role: "group", "aria-label": label, "aria-describedby": "plane-readout" },
    picture,
  );
  const readout = el("p", { class: "plane-readout", id: "plane-readout", "aria-live": "polite" });
  const limits = el("p", { class: "note plane-limits" });
  const title = el("h3", { class: "plane-title", id: "plane-title" }, t("All queries and keys of this head"));
  const content = [title, what, legend, frame, readout, limits, details];
  fill(element, el("section", { class: "plane", "aria-labelledby": "plane-title" }, ...content));
  return { frame, what, legend, readout, limits };
}
