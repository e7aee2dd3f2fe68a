/** The picture of a map of heads, in layers that are drawn on their own. */

import { fill, svg } from "../../../base/dom.js";
import { axes } from "../../../charts/axes.js";
import { outlineOf } from "../../../charts/scatter/spots.js";
import { dotsOf, linksOf, marksOf } from "./map_marks.js";
import { namesOf } from "./map_names.js";

/** @typedef {import("./map_marks.js").HeadMap} HeadMap */
/** @typedef {import("./map_layout.js").MapLayout} MapLayout */

export function createMapPicture() {
  const layers = ["axes", "links", "points", "names", "marks", "drag"].map((name) =>
    svg("g", { class: `atlas-${name}` }),
  );
  const [ground, links, dots, names, marks, drag] = layers;
  const picture = svg("svg", { class: "mark atlas-map", "aria-hidden": "true" }, ...layers);
  return {
    picture,
    /** @param {HeadMap} map @param {MapLayout} layout */
    draw(map, layout) {
      const { size, box, x, y, spots } = layout;
      picture.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
      fill(ground, ...axes(box, x, y, { x: map.x.name, y: map.y.name }));
      fill(links, ...linksOf(map, layout));
      fill(dots, ...dotsOf(map, layout));
      fill(names, ...namesOf(map, spots, size, { y, box }));
    },
    /** @param {HeadMap} map @param {MapLayout} layout @param {number} pointed  −1: none */
    mark(map, layout, pointed) {
      fill(marks, ...marksOf(map, layout, pointed));
    },
    /** @param {readonly import("../../../charts/scatter/extents.js").Spot[] | null} dragged @param {string} mode */
    outline(dragged, mode) {
      fill(drag, dragged && svg("path", { class: "atlas-outline", d: outlineOf(dragged, mode) }));
    },
  };
}
