/** The plane of all queries and keys of the chosen head, below the vectors of one pair. */

import { getQueryKeyPlane } from "../../api/query_key_plane.js";
import { el, fill } from "../../base/dom.js";
import { answersOf, createProblem } from "../widgets/panel.js";
import { mount } from "../../base/mount.js";
import { queryKeyPlaneView } from "./plane.js";
import { createSelection } from "./selected_points.js";

/** Queries, and keys, that are drawn at most. */
const MOST_POINTS = 1024;

/**
 * @param {HTMLElement} element
 * @param {import("../widgets/panel.js").Bench} bench
 */
export function queryKeyPlanePanel(element, bench) {
  const { state, pointed, selected: shared } = bench;
  const box = el("div");
  const planes = answersOf(bench, "plane", getQueryKeyPlane);
  const problem = createProblem(planes);
  fill(element, problem.box, box);
  /** The last plane, until a further sample of the same one is there. @type {{of: string, plane: import("../../api/query_key_plane.js").Plane} | null} */
  let last = null;
  const selection = createSelection(shared.set);
  const show = mount(box, queryKeyPlaneView, {
    onPick: (role, token) => state.set(role === "query" ? { query: token, key: null } : { key: token }, "pick"),
    onPoint: (point) => pointed.set({ query: null, key: null, ...(point && { [point.role]: point.token }) }),
    onSelect: (selected) => {
      show.patch(() => ({ selected }));
      selection.set(selected);
    },
  });

  return {
    /**
     * @param {import("../widgets/panel.js").Scene} scene
     * @param {{key: number | null, weight: number | null}} chosen  the key beside the scene's query, and its weight
     */
    show({ value, analysis, part, queries, keys, pointed: cell }, { key, weight }) {
      const { layer, head, query, hide, numbering } = value;
      const place = { part: part.name, layer, head, hide_special: hide, max_tokens: MOST_POINTS };
      const of = JSON.stringify([analysis.id, place]);
      const isLong = Math.max(queries.length, keys.length) > MOST_POINTS;
      const also = isLong ? { ...(query !== null && { query }), ...(key !== null && { key }) } : {};
      const [answer] = planes.take(analysis.id, [{ ...place, ...also }]);
      if (answer) last = { of, plane: answer };
      const plane = last?.of === of ? last.plane : null;
      const selected = selection.among(queries);
      const marked = { query, key, weight, pointedQuery: cell.query, pointedKey: cell.key };
      show(plane && { of, plane, queries, keys, selected, ...marked, numbering });
      const isWaiting = problem.show()?.kind !== "failed" && answer === null;
      element.setAttribute("aria-busy", String(isWaiting));
    },
    /** @param {import("../../charts/heat_map/cells.js").Pointed} cell */
    point: (cell) => show.patch(() => ({ pointedQuery: cell.query, pointedKey: cell.key })),
    hide() {
      for (const resource of [planes, problem]) resource.clear();
      last = null;
      show(null);
      selection.hide();
      element.removeAttribute("aria-busy");
    },
  };
}
