/** The graph of one threshold, and what is chosen in it. */

/** @typedef {import("../../api/information_flow.js").InformationFlow} InformationFlow */
/** @typedef {import("../../api/information_flow.js").FlowNode} FlowNode */
/** @typedef {import("../../api/information_flow.js").FlowEdge} FlowEdge */

/**
 * @typedef {object} Graph
 * @property {number[]} nodes  by index, the output first
 * @property {FlowEdge[]} edges  strongest first
 * @property {number} threshold  from which this is all there is
 */

/** @typedef {{depth: number, position: number, edge: null | {kind: FlowEdge["kind"], source: number, head: number | null}}} Chosen */

const LETTERS = /** @type {const} */ ({ residual: "r", head: "h", feed_forward: "f" });

/**
 * Edges are sorted by strength, so a threshold's are the beginning of the list.
 * @param {InformationFlow} flow
 * @param {number} wanted
 * @returns {Graph}
 */
export function graphAt({ nodes, edges, floor }, wanted) {
  const threshold = Math.max(wanted, floor);
  const end = edges.findIndex(({ strength }) => strength < threshold);
  const kept = nodes.flatMap(({ strength }, index) => (strength >= threshold ? [index] : []));
  return { nodes: kept, edges: end < 0 ? edges : edges.slice(0, end), threshold };
}

/**
 * How many sums a node's state is above the embedding.
 * @param {Pick<FlowNode, "layer" | "station">} node
 */
export function depthOf({ layer, station }) {
  if (station === "embedding") return 0;
  if (station === "after_block") return layer + 1;
  return 2 * layer + (station === "after_attention" ? 1 : 2);
}

/**
 * The parts of a node in a graph, most important first.
 * @param {Graph} graph
 * @param {number} node  index
 * @returns {FlowEdge[]}
 */
export function partsOf({ edges }, node) {
  return edges.filter(({ target }) => target === node).sort((a, b) => b.importance - a.importance);
}

/**
 * The edges and nodes through which a node reaches the output, and those that it comes from.
 * @param {Graph} graph
 * @param {number} node
 * @returns {Set<FlowEdge>}
 */
export function routesThrough({ edges }, node) {
  const through = new Set();
  for (const [from, to] of /** @type {const} */ ([
    ["target", "source"],
    ["source", "target"],
  ])) {
    const reached = new Set([node]);
    for (const waiting = [node]; waiting.length > 0;) {
      const current = waiting.pop();
      for (const edge of edges) {
        if (edge[from] !== current) continue;
        through.add(edge);
        if (!reached.has(edge[to])) waiting.push(edge[to]);
        reached.add(edge[to]);
      }
    }
  }
  return through;
}

/**
 * What is chosen, as it stands in the address: "4.8" is a node, "4.8.h2.7" one of its parts.
 * @param {string} text
 * @returns {Chosen | null}
 */
export function readChosen(text) {
  const match = /^(\d{1,4})\.(\d{1,6})(?:\.(?:([rf])|h(\d{1,4})\.(\d{1,6})))?$/.exec(text);
  if (!match) return null;
  const [depth, position] = [Number(match[1]), Number(match[2])];
  const [, , , own, head, source] = match;
  if (own) {
    const kind = own === "r" ? "residual" : "feed_forward";
    return { depth, position, edge: { kind, source: position, head: null } };
  }
  const edge = head ? { kind: /** @type {const} */ ("head"), source: Number(source), head: Number(head) } : null;
  return { depth, position, edge };
}

/**
 * @param {FlowNode} node
 * @returns {string}
 */
export function writeNode(node) {
  return `${depthOf(node)}.${node.position}`;
}

/**
 * @param {FlowEdge} edge
 * @param {readonly FlowNode[]} nodes
 * @returns {string}
 */
export function writeEdge({ kind, head, source, target }, nodes) {
  const of = kind === "head" ? `${head}.${nodes[source].position}` : "";
  return `${writeNode(nodes[target])}.${LETTERS[kind]}${of}`;
}

/**
 * The chosen node, the output where there is none, and the chosen one of its parts.
 * @param {InformationFlow} flow
 * @param {Graph} graph
 * @param {string} text  from the address
 * @returns {{node: number, edge: FlowEdge | null}}
 */
export function chosenIn({ nodes }, graph, text) {
  const wanted = readChosen(text);
  const node = wanted
    ? graph.nodes.find((index) => nodes[index].position === wanted.position && depthOf(nodes[index]) === wanted.depth)
    : undefined;
  if (node === undefined) return { node: 0, edge: null };
  const part = wanted?.edge;
  const edge = part
    ? graph.edges.find(
        (candidate) =>
          candidate.target === node &&
          candidate.kind === part.kind &&
          candidate.head === part.head &&
          nodes[candidate.source].position === part.source,
      )
    : undefined;
  return { node, edge: edge ?? null };
}
