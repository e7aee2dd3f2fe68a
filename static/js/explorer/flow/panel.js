/** Panel of information flow: what made one output, as a graph, node by node and as a table. */

import { getInformationFlow } from "../../api/information_flow.js";
import { getOutput } from "../../api/output.js";
import { el } from "../../base/dom.js";
import { sentences, t } from "../../base/i18n.js";
import { remembering } from "../../base/memoise.js";
import { mount } from "../../base/mount.js";
import { isRecorded } from "../../requests/recorded_answers.js";
import { outputAt, saying } from "../state/chosen_output.js";
import { tableDisclosure } from "../widgets/number_table.js";
import { answersOf, createPanel, createProblem } from "../widgets/panel.js";
import { THRESHOLDS, controlsView } from "./controls.js";
import { flowView } from "./flow.js";
import { chosenIn, graphAt, writeEdge, writeNode } from "./graph.js";
import { flowLegend, flowNotes } from "./notes.js";
import { obstacleTo, untraceable } from "./obstacles.js";
import { partsView } from "./parts.js";
import { flowTable } from "./table.js";

/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {import("./flow.js").FlowData} FlowData */
/** @typedef {import("../../api/information_flow.js").FlowEdge} FlowEdge */

/**
 * @param {HTMLElement} element
 * @param {import("../widgets/panel.js").Bench} bench
 * @returns {import("../widgets/panel.js").Panel}
 */
export function flowPanel(element, bench) {
  const { state } = bench;
  const boxes = layOut();
  const { note, stage } = boxes;
  const legend = flowLegend();
  const table = tableDisclosure({ label: t("The graph as a table"), make: () => shown && flowTable(shown) });
  const questions = createQuestions(bench);
  const problem = createProblem(...questions.asks);
  const graphOf = remembering(graphAt);
  /** @type {FlowData | null} */
  let shown = null;
  /** Id of the analysis. */
  let drawn = "";
  const views = mountViews(boxes, bench, () => shown);

  /** @param {Scene} scene */
  function draw(scene) {
    const { value, analysis } = scene;
    const { numbering, query } = value;
    const tokens = saying(analysis);
    const { position, most, obstacle, flow } = questions.take(scene);
    const hasNone = problem.show()?.kind === "failed" || obstacle !== "";
    stage.hidden = legend.hidden = table.element.hidden = hasNone;
    boxes.controls.hidden = hasNone && !isRecorded() && most === 0;
    stage.setAttribute("aria-busy", String(!flow && !hasNone));
    const threshold = Math.max(value.threshold, THRESHOLDS.least);
    const graph = flow ? graphOf(flow, threshold) : null;
    const floor = flow?.floor ?? 0;
    views.controls({ tokens, position, query, numbering, threshold, floor, count: graph ? sizeOf(graph) : "" });
    note.textContent = flow ? noteOn(flow, threshold) : obstacle;
    if (!flow || !graph) return; // the last graph stays, faded, until the next is there
    const isOtherTable = shown?.graph !== graph || shown.numbering !== numbering;
    shown = { flow, graph, tokens, ...chosenIn(flow, graph, value.flow), pointed: null, numbering };
    views.graph(shown);
    views.parts(shown);
    if (isOtherTable) table.draw();
  }

  const notes = flowNotes(isRecorded() ? null : () => state.set({ view: "patching" }, "pick"));
  const panel = createPanel(element, {
    stands: [boxes.controls, note, problem.box, stage, legend, table.element, notes],
    views,
    asks: [...questions.asks, problem],
    draw(scene) {
      const why = untraceable(scene.analysis);
      // Nothing of another analysis stays; a failure does, so that it is not asked for again and again.
      if (drawn !== scene.analysis.id || why) panel.clear();
      drawn = scene.analysis.id;
      if (!why) return draw(scene);
      stage.hidden = legend.hidden = boxes.controls.hidden = table.element.hidden = true;
      note.textContent = why;
    },
    forget() {
      drawn = "";
      shown = null;
      table.draw();
    },
  });
  return panel;
}

function layOut() {
  const graph = el("div", { class: "flow-graph" });
  const parts = el("div", { class: "flow-parts" });
  return {
    controls: el("div", { class: "flow-controls" }),
    note: el("p", { class: "note flow-note" }),
    stage: el("div", { class: "flow-stage" }, graph, parts),
    graph,
    parts,
  };
}

/**
 * What the server is asked for a graph: whether there is one, and if so, that one.
 * @param {import("../widgets/panel.js").Bench} bench
 */
function createQuestions(bench) {
  const outputs = answersOf(bench, "flow/output", getOutput);
  const flows = answersOf(bench, "information_flow", getInformationFlow);
  return {
    asks: [outputs, flows],
    /**
     * `most` tokens may reach an output that has a graph: 0 as long as that is not known.
     * @param {Scene} scene
     */
    take({ value, analysis, part }) {
      const position = outputAt(value, analysis, part);
      // A file holds one graph; a server says whether there is one.
      const [output] = isRecorded()
        ? [{ max_information_flow_tokens: Infinity }]
        : outputs.take(analysis.id, [{ position }]);
      const most = output?.max_information_flow_tokens ?? 0;
      const obstacle = output ? obstacleTo(most, analysis, part, position) : "";
      const [flow] = flows.take(analysis.id, output && !obstacle ? [{ position }] : []);
      return { position, most, obstacle, flow };
    },
  };
}

/**
 * @param {ReturnType<typeof layOut>} boxes
 * @param {import("../widgets/panel.js").Bench} bench
 * @param {() => FlowData | null} shown
 */
function mountViews(boxes, bench, shown) {
  const { state } = bench;
  const { onOutput, onNode, onEdge, onPoint } = createActions(bench, shown);
  const choosing = isRecorded() ? {} : { onOutput };
  const graph = mount(boxes.graph, flowView, { onNode, onEdge, onPoint, ...choosing });
  return {
    controls: mount(boxes.controls, controlsView, {
      onThreshold: (threshold) => state.set({ threshold }, "move"),
      ...choosing,
    }),
    graph,
    parts: mount(boxes.parts, partsView, {
      onNode,
      onEdge,
      onOpen(edge) {
        onEdge(edge);
        state.set({ view: "matrix", stage: "weights" }, "pick");
      },
      onPoint(edge) {
        onPoint(edge);
        graph.patch(() => ({ pointed: edge }));
      },
    }),
  };
}

/** @param {import("./graph.js").Graph} graph */
function sizeOf({ nodes, edges }) {
  return t("{nodes} nodes, {edges} edges", { nodes: nodes.length, edges: edges.length });
}

/**
 * What choosing and pointing mean for the page's state.
 * @param {Pick<import("../widgets/panel.js").Bench, "state" | "pointed">} bench
 * @param {() => FlowData | null} shown
 */
export function createActions({ state, pointed }, shown) {
  return {
    /** @param {number} output */
    onOutput: (output) => state.set({ output, flow: "" }, "pick"),
    /** @param {number} node */
    onNode(node) {
      const flow = shown()?.flow;
      if (flow) state.set({ output: flow.position, flow: node === 0 ? "" : writeNode(flow.nodes[node]) }, "pick");
    },
    /** The head and cell of an edge are those of all other views. @param {FlowEdge} edge */
    onEdge(edge) {
      const flow = shown()?.flow;
      if (!flow) return;
      const chosen = { output: flow.position, flow: writeEdge(edge, flow.nodes) };
      const head = { layer: edge.layer, head: edge.head ?? 0, ...cellOf(edge, flow.nodes) };
      state.set({ ...chosen, ...(edge.kind === "head" && head) }, "pick");
    },
    /** @param {FlowEdge | null} edge */
    onPoint(edge) {
      const flow = shown()?.flow;
      pointed.set(flow && edge?.kind === "head" ? cellOf(edge, flow.nodes) : { query: null, key: null });
    },
  };
}

/** @param {FlowEdge} edge @param {FlowData["flow"]["nodes"]} nodes */
function cellOf({ source, target }, nodes) {
  return { query: nodes[target].position, key: nodes[source].position };
}

/**
 * @param {import("../../api/information_flow.js").InformationFlow} flow
 * @param {number} threshold
 * @returns {string}
 */
function noteOn({ floor, max_edges: most, largest_error: error }, threshold) {
  const said = [];
  if (threshold < floor) {
    said.push(
      t("The {most} strongest edges are known, which is all of them from a threshold of {floor}.", {
        most,
        floor: floor.toPrecision(2),
      }),
    );
  }
  if (error > 1e-3) {
    said.push(
      t("At this precision the parts of a node add up to it with an error of up to {error} %.", {
        error: (100 * error).toPrecision(2),
      }),
    );
  }
  return sentences(said);
}
