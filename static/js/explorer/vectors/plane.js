/** Query–key plane: all queries and keys of one head as points; lines join the chosen query to its strongest keys. */

import { el, fill, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { differs } from "../../base/mount.js";
import { scatterPlot } from "../../charts/plots/scatter_plot.js";
import { placeOf, pointOf, pointedIn, scatterOf, seriesOf } from "./plane_points.js";
import { createPlaneSelection } from "./plane_selection.js";
import { caution, definition, spokenPoint } from "./plane_words.js";

/** @typedef {import("../../api/query_key_plane.js").Plane} Plane */
/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {"query" | "key"} Role */
/** @typedef {import("./plane_points.js").PlanePoint} PlanePoint */

/**
 * @typedef {object} PlaneData
 * @property {string} of  which head's plane it is
 * @property {Plane} plane
 * @property {Token[]} queries
 * @property {Token[]} keys
 * @property {number | null} query  the chosen one
 * @property {number | null} key
 * @property {number | null} weight  of this key for this query
 * @property {PlanePoint[]} selected  several, of which the others are told apart
 * @property {number | null} pointedQuery
 * @property {number | null} pointedKey
 * @property {0 | 1} numbering
 */

/**
 * @typedef {object} PlaneActions
 * @property {(role: Role, token: number) => void} onPick
 * @property {(at: PlanePoint | null) => void} onPoint
 * @property {(selected: PlanePoint[]) => void} onSelect
 */

/** @typedef {import("../../charts/plots/scatter_data.js").ScatterSeries[]} Series */

/**
 * @param {HTMLElement} element
 * @param {PlaneData} data
 * @param {PlaneActions} actions
 * @returns {import("../../base/mount.js").View<PlaneData>}
 */
export function queryKeyPlaneView(element, data, { onPick, onPoint, onSelect }) {
  const pick = (/** @type {PlanePoint} */ { role, token }) => onPick(role, token);
  const selection = createPlaneSelection({ onPick: pick, onPoint, onClear: () => onSelect([]) });
  const { place, what, readout, limits } = layOut(element, selection.element);
  let current = data;
  let series = seriesOf(data);
  let scatter = scatterOf(data, series);
  const plot = scatterPlot(place, scatter, {
    onPoint: (mark) => onPoint(mark && pointOf(mark)),
    onPick: (mark) => pick(pointOf(mark)),
    onSelect: (selected) => onSelect(selected.map(pointOf)),
    describedBy: readout.id,
  });

  function describe() {
    fill(what, definition(current.plane));
    fill(limits, caution(current));
    selection.draw(current);
  }

  function read() {
    const { pointedQuery, pointedKey } = current;
    const pointed = [
      { role: /** @type {Role} */ ("query"), token: pointedQuery ?? -1 },
      { role: /** @type {Role} */ ("key"), token: pointedKey ?? -1 },
    ];
    const [first] = pointed.flatMap((point) => {
      const place = placeOf(current.plane, point);
      return place < 0 ? [] : [{ ...point, place }];
    });
    const rest = t("Hover over a point to read it, click to choose it. Arrow keys move, Enter chooses.");
    fill(readout, ...(first ? spokenPoint(first, current) : [rest]));
  }

  describe();
  read();
  return {
    update(next) {
      const isPointing = !differs(current, next, ["pointedQuery", "pointedKey"]);
      if (differs(current, next, ["pointedQuery", "pointedKey", "query", "key", "weight", "selected"])) {
        series = seriesOf(next);
      }
      current = next;
      scatter = isPointing ? { ...scatter, ...pointedIn(next) } : scatterOf(next, series);
      if (!isPointing) describe();
      plot.update(scatter);
      read();
    },
    destroy() {
      plot.destroy();
      element.replaceChildren();
    },
  };
}

/**
 * @param {HTMLElement} element
 * @param {HTMLElement} selection
 */
function layOut(element, selection) {
  const what = el("p", { class: "note" });
  const help = el(
    "p",
    { class: "visually-hidden" },
    t(
      "Queries and keys as points; the left and right arrow keys go through tokens, up and down switch between query and key",
    ),
  );
  const place = el("div", { class: "plane-plot" });
  const readout = el("p", { class: "plane-readout", id: "plane-readout", "aria-live": "polite" });
  const limits = el("p", { class: "note plane-limits" });
  const title = el("h3", { class: "plane-title", id: "plane-title" }, t("All queries and keys of this head"));
  const content = [title, what, help, place, marksLegend(), readout, selection, limits];
  fill(element, el("section", { class: "plane", "aria-labelledby": "plane-title" }, ...content));
  return { place, what, readout, limits };
}

/** What lines and the cross mean. */
function marksLegend() {
  const entry = (/** @type {string} */ kind, /** @type {string} */ d, /** @type {string} */ name) =>
    el(
      "span",
      { class: "plane-entry" },
      svg(
        "svg",
        { class: "plane-sample", viewBox: "0 0 16 16", "aria-hidden": "true" },
        svg("path", { class: kind, d }),
      ),
      el("span", {}, name),
    );
  return el(
    "p",
    { class: "plane-legend" },
    entry("plane-line", "M1 8h14", t("what the chosen query attends to most: the wider, the more")),
    entry("plane-zero", "M1 8h14M8 1v14", t("the zero vector, the origin of dot products")),
  );
}
