/** Panel of information flow: what made one output, as a graph, node by node and as a table. */

import { isUploaded, isWeightsOnly } from "../../api/analyses.js";
import { getInformationFlow } from "../../api/information_flow.js";
import { getOutput } from "../../api/output.js";
import { el } from "../../base/dom.js";
import { sentences, t } from "../../base/i18n.js";
import { grouped } from "../../base/numbers.js";
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
  const note = el("p", { class: "note flow-note" });
  const boxes = {
    controls: el("div", { class: "flow-controls" }),
    graph: el("div", { class: "flow-graph" }),
    parts: el("div", { class: "flow-parts" }),
  };
  const stage = el("div", { class: "flow-stage" }, boxes.graph, boxes.parts);
  const legend = flowLegend();
  const table = tableDisclosure({ label: t("The graph as a table"), make: () => shown && flowTable(shown) });
  const outputs = answersOf(bench, "flow/output", getOutput);
  const flows = answersOf(bench, "information_flow", getInformationFlow);
  const problem = createProblem(outputs, flows);
  const graphOf = remembering(graphAt);
  /** @type {FlowData | null} */
  let shown = null;
  /** Id of the analysis. */
  let drawn = "";
  const views = mountViews(boxes, bench, () => shown);

  /** @param {Scene} scene */
  function draw({ value, analysis, part }) {
    const { numbering, query } = value;
    const tokens = saying(analysis);
    const position = outputAt(value, analysis, part);
    // A file holds one graph; a server says whether there is one.
    const [output] = isRecorded()
      ? [{ max_information_flow_tokens: Infinity }]
      : outputs.take(analysis.id, [{ position }]);
    const obstacle = output ? obstacleTo(output.max_information_flow_tokens, analysis, part, position) : "";
    const [flow] = flows.take(analysis.id, output && !obstacle ? [{ position }] : []);
    const hasNone = problem.show()?.kind === "failed" || obstacle !== "";
    stage.hidden = legend.hidden = table.element.hidden = hasNone;
    boxes.controls.hidden = hasNone && !isRecorded() && !(output && output.max_information_flow_tokens > 0);
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
    asks: [outputs, flows, problem],
    draw(scene) {
      const why = unknown(scene.analysis);
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

/**
 * @param {{controls: HTMLElement, graph: HTMLElement, parts: HTMLElement}} boxes
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

/** Why nothing can be taken apart; "" if it can. @param {Scene["analysis"]} analysis */
function unknown(analysis) {
  if (isUploaded(analysis.id))
    return t("No model ran here on these tensors, so there is no residual stream to take apart.");
  return isWeightsOnly(analysis) ? t("Weights only: this model's output cannot be traced to them.") : "";
}

/**
 * Why there is no graph; "" where there is one.
 * @param {number} most  tokens that may reach the output, 0 if none
 * @param {Scene["analysis"]} analysis
 * @param {Scene["part"]} part
 * @param {number} position
 * @returns {string}
 */
function obstacleTo(most, analysis, { causal }, position) {
  const model = analysis.model.title;
  if (most === 0 && analysis.target_tokens) {
    return t(
      "{model} has two residual streams, and cross-attention carries parts of the encoder’s into the decoder’s: the graph takes one stream apart.",
      { model },
    );
  }
  if (most === 0) {
    return t(
      "The blocks of {model} cannot be taken apart here: BERT, RoBERTa, DistilBERT, ModernBERT, GPT-2, GPT-Neo, GPT-NeoX, GPT-J, CodeGen, OPT, BLOOM, MPT, Falcon, Phi, Llama, Gemma 1 to 3, Mistral, OLMo 2 and 3, Qwen 2 and 3 and ViT can.",
      { model },
    );
  }
  const count = causal ? position + 1 : saying(analysis).length;
  if (count <= most) return "";
  return t(
    "{count} tokens can reach this output, and the graph is computed for {most}: choose an earlier token of a decoder, or shorten the text.",
    { count: grouped(count), most: grouped(most) },
  );
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
