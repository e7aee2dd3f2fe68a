/** The queries and keys selected in the plane, as lists beside it. */

import { el, fill, smallButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { spokenName } from "../../wording/token_name.js";

/** @typedef {import("./plane.js").PlaneData} PlaneData */
/** @typedef {import("./plane_points.js").PlanePoint} PlanePoint */

/** Of more selected tokens, only so many are listed. */
const MOST_LISTED = 60;

/**
 * @param {object} actions
 * @param {(point: PlanePoint) => void} actions.onPick
 * @param {(point: PlanePoint | null) => void} actions.onPoint
 * @param {() => void} actions.onClear
 */
export function createPlaneSelection({ onPick, onPoint, onClear }) {
  const words = el("p", { class: "note", "aria-live": "polite" });
  const clear = smallButton(t("Clear the selection"), onClear);
  const head = el("div", { class: "plane-selection-head" }, words, clear);
  const lists = el("div");
  const element = el("div", { class: "plane-selection" }, head, lists);

  /**
   * @param {PlanePoint} point
   * @param {PlaneData} data
   */
  function chip(point, { queries, keys, numbering }) {
    const token = (point.role === "query" ? queries : keys)[point.token];
    const listeners = {
      onclick: () => onPick(point),
      onpointerenter: () => onPoint(point),
      onpointerleave: () => onPoint(null),
      onfocus: () => onPoint(point),
      onblur: () => onPoint(null),
    };
    const name = spokenName(token, numbering, { class: `is-${point.role}` });
    return el("li", {}, el("button", { type: "button", class: "plane-chip", ...listeners }, ...name));
  }

  return {
    element,
    /** @param {PlaneData} data */
    draw(data) {
      const sorted = [...data.selected].sort((a, b) => a.token - b.token);
      const [queries, keys] = ["query", "key"].map((role) => sorted.filter((point) => point.role === role));
      clear.hidden = sorted.length === 0;
      words.textContent =
        sorted.length === 0
          ? t("Select points with the box or the lasso above the chart, or one by one with Shift and a click or Enter.")
          : t("Selected: {queries} queries and {keys} keys.", { queries: queries.length, keys: keys.length });
      const groups = [
        { name: t("Selected queries"), points: queries },
        { name: t("Selected keys"), points: keys },
      ].filter(({ points }) => points.length > 0);
      fill(
        lists,
        ...groups.map(({ name, points }) => {
          const left = points.length - MOST_LISTED;
          return el(
            "div",
            { class: "plane-selected" },
            el("span", { class: "plane-selected-name" }, name),
            el("ul", { "aria-label": name }, ...points.slice(0, MOST_LISTED).map((point) => chip(point, data))),
            left > 0 && el("span", { class: "note" }, t("and {count} more", { count: left })),
          );
        }),
      );
    },
  };
}
