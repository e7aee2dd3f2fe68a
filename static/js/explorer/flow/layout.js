/** Where nodes and edges of the graph stand: tokens from left to right, layers upwards. */

import { depthOf } from "./graph.js";

/** @typedef {import("./graph.js").Graph} Graph */
/** @typedef {import("../../api/information_flow.js").FlowEdge} FlowEdge */
/** @typedef {import("../../api/information_flow.js").FlowNode} FlowNode */

/**
 * @typedef {object} Columns
 * @property {Float64Array} middles  of every token's column
 * @property {Float64Array} widths
 * @property {number} width  of all together
 */

/** @typedef {{x: number, y: number}} Point */
/** @typedef {{node: number, x: number, y: number}} PlacedNode */
/** @typedef {{edge: FlowEdge, from: Point, control: Point, to: Point}} PlacedEdge  a quadratic Bézier curve */

/**
 * @typedef {object} Layout
 * @property {PlacedNode[]} nodes
 * @property {PlacedEdge[]} edges
 * @property {(depth: number) => number} yOf
 * @property {number} height
 * @property {Columns} columns
 */

export const COLUMN = { least: 24, most: 88, unreached: { least: 1.5, most: 5 } };
const ROW = { least: 17, most: 30, all: 430 };
const PAD = { top: 16, bottom: 10 };
/** How far a curve of its own kind keeps from the straight line, and from the next head's. */
const BOW = { feed_forward: 15, own: -15, step: 9 };
/** What a curve keeps from the left edge. */
const EDGE = 3;
const SAMPLES = 12;

/**
 * Every token has a column of one width if there is room; else those that no route reaches are narrow.
 * @param {number} count
 * @param {ReadonlySet<number>} reached
 * @param {number} room
 * @returns {Columns}
 */
export function columnsOf(count, reached, room) {
  const even = Math.min(COLUMN.most, room / count);
  const isEven = even >= COLUMN.least;
  const others = count - reached.size;
  const spare = (room - reached.size * COLUMN.least) / Math.max(1, others);
  const narrow = Math.min(COLUMN.unreached.most, Math.max(COLUMN.unreached.least, spare));
  const left = room - others * narrow;
  const wide = Math.min(COLUMN.most, Math.max(COLUMN.least, left / Math.max(1, reached.size)));
  const widths = Float64Array.from({ length: count }, (_, token) =>
    isEven ? even : reached.has(token) ? wide : narrow,
  );
  let x = 0;
  const middles = widths.map((width) => {
    x += width;
    return x - width / 2;
  });
  return { middles, widths, width: x };
}

/**
 * @param {readonly FlowNode[]} nodes  of the answer
 * @param {Graph} graph
 * @param {Columns} columns
 * @param {number} depths  of the output
 * @returns {Layout}
 */
export function layOut(nodes, graph, columns, depths) {
  const row = Math.max(ROW.least, Math.min(ROW.most, ROW.all / Math.max(1, depths)));
  const yOf = (/** @type {number} */ depth) => PAD.top + (depths - depth) * row;
  const pointOf = (/** @type {number} */ node) => ({
    x: columns.middles[nodes[node].position],
    y: yOf(depthOf(nodes[node])),
  });
  /** How many heads already lead from one node to another. @type {Map<string, number>} */
  const beside = new Map();
  const edges = graph.edges.map((edge) => {
    const [from, to] = [pointOf(edge.source), pointOf(edge.target)];
    const between = `${edge.source} ${edge.target}`;
    const number = edge.kind === "head" ? (beside.get(between) ?? 0) : 0;
    if (edge.kind === "head") beside.set(between, number + 1);
    return { edge, from, to, control: controlOf(edge, from, to, number) };
  });
  return {
    nodes: graph.nodes.map((node) => ({ node, ...pointOf(node) })),
    edges,
    yOf,
    height: yOf(0) + PAD.bottom,
    columns,
  };
}

/**
 * @param {FlowEdge} edge
 * @param {Point} from
 * @param {Point} to
 * @param {number} number  of heads drawn between the same nodes before
 * @returns {Point}
 */
function controlOf({ kind }, from, to, number) {
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  if (kind === "residual") return middle;
  if (kind === "feed_forward") return { x: middle.x + 2 * BOW.feed_forward, y: middle.y };
  // Never beyond the left edge, to which such a curve goes half as far as its control point.
  if (from.x === to.x)
    return { x: middle.x + Math.max(2 * (BOW.own - number * BOW.step), 2 * EDGE - 2 * middle.x), y: middle.y };
  // Alternately above and below the straight line.
  const side = (number % 2 === 0 ? 1 : -1) * Math.ceil(number / 2);
  return { x: middle.x, y: middle.y + side * BOW.step };
}

/**
 * @param {PlacedEdge} placed
 * @param {number} share  0…1 of the way
 * @returns {Point}
 */
export function pointOn({ from, control, to }, share) {
  const [a, b, c] = [(1 - share) ** 2, 2 * share * (1 - share), share ** 2];
  return { x: a * from.x + b * control.x + c * to.x, y: a * from.y + b * control.y + c * to.y };
}

/**
 * The node or edge nearest to a point, within a reach; a node before an edge.
 * @param {Layout} layout
 * @param {Point} point
 * @param {number} reach
 * @returns {{node: number} | {edge: FlowEdge} | null}
 */
export function nearest({ nodes, edges }, point, reach) {
  const far = (/** @type {Point} */ center) => Math.hypot(center.x - point.x, center.y - point.y);
  const node = least(nodes, far, reach);
  if (node) return { node: node.node };
  const near = edges.filter(({ from, control, to }) => {
    const [xs, ys] = [
      [from.x, control.x, to.x],
      [from.y, control.y, to.y],
    ];
    const isIn = (/** @type {number[]} */ coordinates, /** @type {number} */ value) =>
      value >= Math.min(...coordinates) - reach && value <= Math.max(...coordinates) + reach;
    return isIn(xs, point.x) && isIn(ys, point.y);
  });
  const edge = least(near, (placed) => distanceTo(placed, point), reach);
  return edge && { edge: edge.edge };
}

/**
 * @param {PlacedEdge} placed
 * @param {Point} point
 */
function distanceTo(placed, point) {
  let shortest = Infinity;
  let before = placed.from;
  for (let step = 1; step <= SAMPLES; step++) {
    const next = pointOn(placed, step / SAMPLES);
    const [dx, dy] = [next.x - before.x, next.y - before.y];
    const along = ((point.x - before.x) * dx + (point.y - before.y) * dy) / Math.max(dx * dx + dy * dy, 1e-9);
    const share = Math.max(0, Math.min(1, along));
    shortest = Math.min(shortest, Math.hypot(before.x + share * dx - point.x, before.y + share * dy - point.y));
    before = next;
  }
  return shortest;
}

/**
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => number} size
 * @param {number} most
 * @returns {T | null}
 */
function least(items, size, most) {
  let [best, smallest] = [/** @type {T | null} */ (null), most];
  for (const item of items) {
    const its = size(item);
    if (its <= smallest) [best, smallest] = [item, its];
  }
  return best;
}
