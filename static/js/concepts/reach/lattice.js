/** The states of all positions, layer above layer: everything that leads to one position, and the way of one token there. */

import { fittedView } from "../../charts/axes.js";
import { fill, svg } from "../../base/dom.js";
import { legibleType } from "../../charts/legible_type.js";

/** @typedef {import("./routes.js").Move} Move */

/**
 * @typedef {object} Lattice
 * @property {string} title
 * @property {string[]} names  of the rows of states: the tokens, then after each layer
 * @property {boolean[][]} cone  whether a state leads to the query: a row for each state up to it
 * @property {string[]} kinds  of each token: what it is to the query
 * @property {{layer: number, from: number, to: number, weight: number}[]} edges  from the state before a layer to that after it
 * @property {Move[]} route
 * @property {number} query
 * @property {number} key
 */

/** @typedef {{onQuery: (query: number, layer: number) => void, onKey: (key: number) => void}} LatticeOptions */

const [LEFT, RIGHT, TOP, FOOT] = [86, 16, 12, 24];
const WIDTHS = { least: 260, most: 760 };
/** Between two rows of states; all together are no higher than the second. */
const [ROW, MOST_HEIGHT] = [34, 100];
const RADIUS = 6;
/** Of the line of an edge, for a weight of 0 and of 1. */
const [THIN, THICK] = [0.6, 3.4];

/**
 * @param {HTMLElement} element
 * @param {Lattice} data
 * @param {LatticeOptions} options
 * @returns {import("../../base/mount.js").View<Lattice>}
 */
export function latticeMark(element, data, { onQuery, onKey }) {
  const picture = svg("svg", { class: "mark reach-lattice", role: "img" });
  fill(element, legibleType(picture));

  /** @param {Lattice} next @param {number} room */
  function update(next, room) {
    const count = next.kinds.length;
    const rows = next.names.length;
    const step = Math.min(ROW, MOST_HEIGHT / Math.max(rows - 1, 1));
    const wide = (room - LEFT - RIGHT) / Math.max(count - 1, 1);
    const x = (/** @type {number} */ position) => LEFT + position * wide;
    const y = (/** @type {number} */ state) => TOP + (rows - 1 - state) * step;
    const height = TOP + (rows - 1) * step + FOOT;
    picture.setAttribute("viewBox", `0 0 ${room} ${height}`);
    picture.setAttribute("width", String(room));
    picture.setAttribute("height", String(height));
    picture.setAttribute("aria-label", next.title);
    const line = (
      /** @type {string} */ kind,
      /** @type {{layer: number, from: number, to: number}} */ edge,
      thick = 0,
    ) =>
      svg("line", {
        class: kind,
        x1: x(edge.from),
        y1: y(edge.layer),
        x2: x(edge.to),
        y2: y(edge.layer + 1),
        ...(thick ? { "stroke-width": thick } : {}),
      });
    fill(
      picture,
      ...next.names.map((name, state) => svg("text", { class: "reach-state", x: 0, y: y(state) + 4 }, name)),
      ...next.edges.map((edge) => line("reach-edge", edge, THIN + (THICK - THIN) * edge.weight)),
      ...way(next).map(({ kind, ...edge }) => line(`reach-way is-${kind}`, edge)),
      ...next.names.flatMap((_, state) =>
        Array.from({ length: count }, (__, position) =>
          svg("circle", {
            class: `reach-node ${nodeKind(next, state, position)}`,
            cx: x(position),
            cy: y(state),
            r: RADIUS,
            onclick: () => (state === 0 ? onKey(position) : onQuery(position, state - 1)),
          }),
        ),
      ),
      ...next.kinds.map((_, position) =>
        svg("text", { class: "reach-position", x: x(position), y: height - 4 }, String(position)),
      ),
    );
  }

  return fittedView(element, data, update, WIDTHS);
}

/** @param {Lattice} data @param {number} state @param {number} position */
function nodeKind({ cone, kinds, query, key, route }, state, position) {
  const isTop = state === cone.length - 1;
  const classes = [
    cone[state]?.[position] ? "is-lit" : "",
    state === 0 ? `is-${kinds[position]}` : "",
    isTop && position === query ? "is-query" : "",
    state === 0 && position === key ? "is-key" : "",
    route.length && state < cone.length && standsAt(route, key, state) === position ? "is-passed" : "",
  ];
  return classes.filter(Boolean).join(" ");
}

/**
 * Where what the key sent stands after so many layers.
 * @param {readonly Move[]} route
 * @param {number} key
 * @param {number} state
 */
function standsAt(route, key, state) {
  return route.filter(({ layer }) => layer < state).at(-1)?.to ?? key;
}

/**
 * The way as lines from state to state: through attention, beside it, or carried on.
 * @param {Lattice} data
 */
function way({ route, key, cone }) {
  if (route.length === 0) return [];
  return Array.from({ length: cone.length - 1 }, (_, layer) => {
    const here = route.filter((move) => move.layer === layer);
    const kind = here.length === 0 ? "carried" : here.every(({ isAttention }) => isAttention) ? "attention" : "beside";
    return { kind, layer, from: standsAt(route, key, layer), to: standsAt(route, key, layer + 1) };
  });
}
