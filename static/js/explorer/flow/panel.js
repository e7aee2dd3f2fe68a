/** Panel of information flow: what made one output, as a graph, node by node and as a table. */

import { isUploaded } from "../../api/analyses.js";
import { getInformationFlow } from "../../api/information_flow.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { remembering } from "../../base/memoise.js";
import { mount } from "../../base/mount.js";
import { isRecorded } from "../../requests/recorded_answers.js";
import { explainedAt } from "../state/chosen_output.js";
import { answersOf, createPanel, createProblem } from "../widgets/panel.js";
import { THRESHOLDS, controlsView } from "./controls.js";
import { flowView } from "./flow.js";
import { chosenIn, graphAt, writeEdge, writeNode } from "./graph.js";
import { flowLegend, flowNotes } from "./notes.js";
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
  const { state, pointed } = bench;
  const note = el("p", { class: "note flow-note" });
  const boxes = {
    controls: el("div", { class: "flow-controls" }),
    graph: el("div", { class: "flow-graph" }),
    parts: el("div", { class: "flow-parts" }),
  };
  const stage = el("div", { class: "flow-stage" }, boxes.graph, boxes.parts);
  const legend = flowLegend();
  const table = createTable();
  const flows = answersOf(bench, "information_flow", getInformationFlow);
  const problem = createProblem(flows);
  const graphOf = remembering(graphAt);
  /** @type {FlowData | null} */
  let shown = null;

  const onOutput = (/** @type {number} */ output) => state.set({ output, flow: "" }, "pick");
  const onNode = (/** @type {number} */ node) => {
    if (shown)
      state.set({ output: shown.flow.position, flow: node === 0 ? "" : writeNode(shown.flow.nodes[node]) }, "pick");
  };
  /** The head and cell of an edge are those of all other views. @param {FlowEdge} edge */
  const onEdge = (edge) => {
    if (!shown) return;
    const { nodes, position } = shown.flow;
    const cell = {
      layer: edge.layer,
      head: edge.head ?? 0,
      query: nodes[edge.target].position,
      key: nodes[edge.source].position,
    };
    const chosen = { output: position, flow: writeEdge(edge, nodes) };
    state.set({ ...chosen, ...(edge.kind === "head" && cell) }, "pick");
  };
  const onPoint = (/** @type {FlowEdge | null} */ edge) => {
    const nodes = shown?.flow.nodes;
    const isHead = nodes && edge?.kind === "head";
    pointed.set(
      isHead ? { query: nodes[edge.target].position, key: nodes[edge.source].position } : { query: null, key: null },
    );
  };
  const views = {
    controls: mount(boxes.controls, controlsView, {
      onThreshold: (threshold) => state.set({ threshold }, "move"),
      ...(!isRecorded() && { onOutput }),
    }),
    graph: mount(boxes.graph, flowView, { onNode, onEdge, onPoint, ...(!isRecorded() && { onOutput }) }),
    parts: mount(boxes.parts, partsView, {
      onNode,
      onEdge,
      onOpen: (edge) => {
        onEdge(edge);
        state.set({ view: "matrix", stage: "weights" }, "pick");
      },
      onPoint(edge) {
        onPoint(edge);
        views.graph.patch(() => ({ pointed: edge }));
      },
    }),
  };

  /** @param {Scene} scene */
  function draw({ value, analysis, part }) {
    const { numbering, query } = value;
    const tokens = analysis.tokens;
    const position = explainedAt(value, analysis, part);
    const [flow] = flows.take(analysis.id, [{ position }]);
    const failed = problem.show()?.kind === "failed";
    stage.hidden = legend.hidden = boxes.controls.hidden = table.box.hidden = failed;
    stage.setAttribute("aria-busy", String(!flow && !failed));
    const threshold = Math.max(value.threshold, THRESHOLDS.least);
    const graph = flow ? graphOf(flow, threshold) : null;
    views.controls({
      ...{ tokens, position, query, numbering, threshold, floor: flow?.floor ?? 0 },
      count: graph ? t("{nodes} nodes, {edges} edges", { nodes: graph.nodes.length, edges: graph.edges.length }) : "",
    });
    note.textContent = flow ? noteOn(flow, threshold) : "";
    if (!flow || !graph) return; // the last graph stays, faded, until the next is there
    shown = { flow, graph, tokens, ...chosenIn(flow, graph, value.flow), pointed: null, numbering };
    views.graph(shown);
    views.parts(shown);
    table.show(shown);
  }

  const panel = createPanel(element, {
    stands: [boxes.controls, note, problem.box, stage, legend, table.box, flowNotes()],
    views,
    asks: [flows, problem],
    draw(scene) {
      const isModels = !isUploaded(scene.analysis.id);
      if (isModels && shown?.tokens !== scene.analysis.tokens) panel.clear();
      if (isModels) return draw(scene);
      stage.hidden = legend.hidden = boxes.controls.hidden = table.box.hidden = true;
      note.textContent = t("No model ran here on these tensors, so there is no residual stream to take apart.");
    },
    forget() {
      shown = null;
      table.clear();
    },
  });
  return panel;
}

/** A table that is made when it is opened. */
function createTable() {
  const scroller = el("div", {
    class: "table-scroller",
    tabindex: 0,
    role: "region",
    "aria-label": t("The graph as a table"),
  });
  const box = el("details", { class: "disclosure" }, el("summary", {}, t("Show as a table")), scroller);
  /** @type {FlowData | null} */
  let data = null;
  const draw = () => fill(scroller, ...(box.open && data ? flowTable(data) : []));
  box.addEventListener("toggle", draw);
  return {
    box,
    /** @param {FlowData} next */
    show(next) {
      const isOther = data === null || data.graph !== next.graph || data.numbering !== next.numbering;
      data = next;
      if (isOther) draw();
    },
    clear() {
      data = null;
      draw();
    },
  };
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
  return said.join(" ");
}
