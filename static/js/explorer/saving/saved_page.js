/** The page inside an exported file: the product's own views on what the file holds. Nothing is fetched. */

import { changedHeads } from "../state/changed_heads.js";
import { completeParts } from "../../api/analyses.js";
import { el, fill, need } from "../../base/dom.js";
import { perFrame } from "../../base/once_per_frame.js";
import { zoom } from "../../charts/heat_map/geometry.js";
import { withScores } from "../heads/head_measures.js";
import { setMessages, t } from "../../base/i18n.js";
import { headName, metricTitle, partName, shortStage, stageMeaning } from "../../wording/labels.js";
import { exact } from "../../base/numbers.js";
import { changesNote } from "../state/change_summary.js";
import { contentsOf } from "./contents.js";
import { createSavedOutput } from "./output.js";
import { createOfflinePlane } from "./plane.js";
import { createSavedRollout } from "./rollout.js";
import { radio } from "./radio.js";
import { createWindows, rowOf } from "./windows.js";
import { createPartMemory } from "../../charts/thumbnail_sheet.js";
import { createPalette, isMasked, isUnsigned, limitsOf } from "../../charts/heat_map/scales.js";
import { partOf, placesIn, sidesOf } from "../state/selection.js";
import { axesVerb } from "../../wording/stage_words.js";
import { createStore } from "../../base/store.js";
import { onSystemTheme } from "../../base/theme.js";
import { gridView } from "../heads/grid.js";
import { headsView } from "../heads/profile.js";
import { legendView } from "../../charts/heat_map/legend.js";
import { matrixView } from "../../charts/heat_map/heat_map.js";
import { mount } from "../../base/mount.js";
import { predictionsView } from "../tokens/predictions.js";
import { readsView } from "../widgets/reads.js";
import { tokensView } from "../tokens/strip.js";

/** @typedef {import("./windows.js").Saved} Saved */
/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../../api/types.js").Pointed} Pointed */
/** @typedef {import("../../api/types.js").Range} Range */
/** @typedef {import("../../api/types.js").Stage} Stage */

/**
 * @typedef {object} State
 * @property {Part} part
 * @property {number} layer
 * @property {number} head
 * @property {Stage} stage
 * @property {number | null} query
 * @property {number | null} key
 * @property {Range} rows
 * @property {Range} cols
 * @property {string} metric
 * @property {boolean} faint
 * @property {number} theme  how often the colours have changed
 */

/** @param {string} id */
const readJson = (id) => JSON.parse(need(document, `#${id}`).textContent ?? "null");

setMessages(readJson("messages"));
start(document, readJson("data"));

/**
 * @param {Document} root
 * @param {Saved} saved
 */
function start(root, saved) {
  const analysis = withScores(completeParts(saved.analysis), saved.scores);
  const { part: name, layer, head, stage, rows, cols, query, key, numbering } = saved.chosen;
  const first = partOf(analysis, name);
  const remember = createPartMemory();
  const windows = createWindows(saved.windows, (part) => remember(part).pictures);
  const state = createStore(
    /** @type {State} */ ({
      ...{ part: first, layer, head, stage, rows, cols, metric: "", faint: false, theme: 0 },
      ...(query === null ? firstWord(analysis, first) : { query, key }),
    }),
  );
  const pointed = createStore(/** @type {Pointed} */ ({ query: null, key: null }));
  let palette = createPalette();
  /** @type {{layer: number, head: number} | null} */
  let pointedHead = null;
  const at = (/** @type {string} */ id) => need(root, `#${id}`);
  const pick = (/** @type {Pointed} */ place) => state.set(place);
  const show = {
    tokens: mount(at("tokens"), tokensView, {
      onPick: (query) => state.set({ query, key: null }),
      onPoint: (query) => pointed.set({ query, key: null }),
    }),
    grid: mount(at("grid"), gridView, {
      onPick: ({ layer, head }) => state.set({ layer, head }),
      onPoint: (place) => {
        pointedHead = place;
        tellHead();
      },
    }),
    matrix: mount(at("matrix"), matrixView, {
      onPick: pick,
      onPoint: (place) => pointed.set(place),
      onZoom: (rows, cols) => state.set({ rows, cols }),
    }),
    legend: mount(at("legend"), legendView, {}),
    reads: mount(at("reads"), readsView, {
      onPick: (key) => state.set({ key }),
      onPoint: (key) => pointed.set({ query: key === null ? null : state.get().query, key }),
    }),
    heads: mount(at("heads"), headsView, {}),
    predictions: mount(at("predictions"), predictionsView, {}),
  };
  const plane = createOfflinePlane(root, saved, { onPick: state.set, onPoint: pointed.set });
  const rollout = createSavedRollout(root, windows, state, pointed);
  const schedule = perFrame(render);
  const output = createSavedOutput(root, { numbering, remember, onPick: state.set, pointed, schedule });

  bindTools();
  state.subscribe(schedule);
  pointed.subscribe(perFrame(point));
  say();
  render();

  function bindTools() {
    const theme = /** @type {HTMLSelectElement} */ (at("theme"));
    const metric = /** @type {HTMLSelectElement} */ (at("metric"));
    const faint = /** @type {HTMLInputElement} */ (at("faint"));
    theme.addEventListener("change", () => {
      root.documentElement.dataset.theme = theme.value;
      recolour();
    });
    onSystemTheme(recolour);
    metric.addEventListener("change", () => state.set({ metric: metric.value }));
    faint.addEventListener("change", () => state.set({ faint: faint.checked }));
    at("zoom-in").addEventListener("click", () => zoomBy(0.5));
    at("zoom-out").addEventListener("click", () => zoomBy(2));
    at("zoom-all").addEventListener("click", () => state.set(whole(state.get().part)));
    const names = Object.keys(first.metrics);
    const options = names.map((one) => el("option", { value: one }, metricTitle(one, analysis.metric_info[one])));
    fill(metric, el("option", { value: "" }, t("none")), ...options);
    at("parts").hidden = analysis.parts.length < 2;
    const choose = (/** @type {Part} */ part) =>
      state.set({ part, layer: 0, head: 0, stage: "weights", ...firstWord(analysis, part), ...whole(part) });
    fill(
      at("parts"),
      ...analysis.parts.map((part) => radio("part", partName(part.name), part === first, () => choose(part))),
    );
  }

  function recolour() {
    palette = createPalette();
    state.set({ theme: state.get().theme + 1 });
  }

  /** @param {number} factor */
  function zoomBy(factor) {
    const { part, rows, cols, query, key } = state.get();
    state.set({ rows: zoom(rows, factor, query, part.query_tokens), cols: zoom(cols, factor, key, part.key_tokens) });
  }

  /** What stays as it is. */
  function say() {
    const count = analysis.tokens.length;
    at("size").textContent = t("{layers} layers × {heads} heads, {count} tokens", { ...first, count });
    const changed = changesNote(analysis, numbering);
    at("changed").hidden = changed === "";
    at("changed").textContent = changed;
    at("predicted").hidden = analysis.predictions.length === 0;
    const tokens = analysis.target_tokens ?? sidesOf(analysis, analysis.parts[0]).queries;
    show.predictions({ predictions: analysis.predictions, tokens });
    at("contents").textContent = contentsOf(saved);
  }

  function render() {
    const { part, layer, head, stage, query, key, rows, cols, metric, faint } = state.get();
    const { queries, keys } = sidesOf(analysis, part, numbering);
    const { pictures, sheet } = remember(part);
    const stages = windows.stages({ part, layer, head });
    const shown = stages.includes(stage) ? stage : "weights";
    const matrix = windows.matrix({ part, layer, head, stage: shown, rows, cols });
    const isPlain = isUnsigned(shown);
    const lifted = faint && isPlain ? "faint" : "plain";
    const limits = limitsOf(shown, matrix);
    const at_ = pointed.get();
    show.tokens({ tokens: queries, query, key: oneText(part) ? key : null, pointed: inText(part, at_), numbering });
    show.grid({
      ...{ pictures, sheet: sheet(palette.bytes[faint ? "faint" : "plain"]), layer, head, beside: "" },
      changed: changedHeads(analysis, part),
      ...{ numbering, sorted: false, metricTitle: metricTitle(metric, analysis.metric_info[metric]) },
      metricValues: part.metrics[metric] ?? null,
    });
    show.matrix({
      ...{ queries, keys, layer, head, stage: shown, rows, cols, query, key, matrix, limits, pictures },
      ...{ name: headName(layer, head, numbering), pointed: placesIn({ queries, keys }, at_), numbering, sheet: null },
      chosenValue: null,
      paint: isPlain ? palette.weights[lifted] : palette.scores,
    });
    show.legend({
      ...{ scale: isPlain ? "weight" : "signed", limits, faint: lifted === "faint" },
      hasMasked: isMasked(matrix),
    });
    show.heads({ metrics: part.metrics, info: analysis.metric_info, heads: [{ layer, head }], numbering });
    renderReads({ part, layer, head, query, key, rows, cols, stage: shown });
    plane.show({ part, layer, head, query, key }, { queries, keys }, at_);
    const paint = palette.weights.faint;
    rollout.show({ part, queries, layer, query, key, rows, cols, numbering, paint });
    output.show({ part, layer, head, queries, keys, palette, pointed: at_ });
    renderWords(matrix, shown, stages);
    tellHead();
  }

  /** @param {Pick<State, "part" | "layer" | "head" | "stage" | "query" | "key" | "rows" | "cols">} look */
  function renderReads({ part, layer, head, stage, query, key, rows, cols }) {
    const { queries, keys } = sidesOf(analysis, part, numbering);
    const row = rowOf(windows.matrix({ part, layer, head, stage, rows, cols }), query, part.key_tokens);
    show.reads(row && query !== null ? { query: queries[query], keys, weights: row, stage, key, numbering } : null);
  }

  /**
   * @param {import("../../api/types.js").Matrix} matrix
   * @param {Stage} shown
   * @param {Stage[]} stages
   */
  function renderWords(matrix, shown, stages) {
    const { part, layer, head } = state.get();
    at("head-title").textContent = headName(layer, head, numbering);
    at("stage-meaning").textContent = stageMeaning(shown);
    at("axes-verb").textContent = axesVerb(shown);
    at("grid-size").textContent = t("{layers} layers × {heads} heads", part);
    const { cellRows: down, cellCols: across } = matrix;
    const isCoarse = !windows.isSaved({ part, layer, head });
    at("coarse").hidden = !isCoarse && down * across === 1;
    at("coarse").textContent =
      t("Each cell is the largest of {down} × {across} tokens.", { down, across }) +
      (isCoarse ? ` ${t("Weights are rounded to 1/255.")}` : "");
    /** @type {HTMLInputElement} */ (at("faint")).disabled = !isUnsigned(shown);
    const box = at("stages");
    const listed = stages.join();
    box.hidden = stages.length < 2;
    if (box.dataset.listed !== listed) {
      const legend = need(box, "legend");
      const choices = stages.map((one) =>
        radio("stage", shortStage(one), one === shown, () => state.set({ stage: one }), one),
      );
      fill(box, legend, ...choices);
      box.dataset.listed = listed;
    }
    for (const input of box.querySelectorAll("input")) input.checked = input.value === shown;
  }

  function tellHead() {
    const { part, layer, head, metric } = state.get();
    const place = pointedHead ?? { layer, head };
    const number = part.metrics[metric]?.[place.layer]?.[place.head];
    const measure =
      number === undefined ? "" : ` · ${metricTitle(metric, analysis.metric_info[metric])} ${exact(number)}`;
    at("grid-readout").textContent = headName(place.layer, place.head, numbering) + measure;
  }

  function point() {
    const { part } = state.get();
    const place = pointed.get();
    plane.point(place);
    output.point(place);
    show.tokens.patch(() => ({ pointed: inText(part, place) }));
    show.matrix.patch((shown) => ({ pointed: placesIn(shown, place) }));
    rollout.point(place);
  }
}

/** @param {Part} part */
function oneText(part) {
  return part.query_side === part.key_side;
}

/**
 * What is pointed at among the tokens above, which are the queries.
 * @param {Part} part
 * @param {Pointed} pointed
 */
function inText(part, { query, key }) {
  return { query, key: oneText(part) ? key : null };
}

/** @param {Part} part */
function whole(part) {
  return { rows: /** @type {Range} */ ([0, part.query_tokens]), cols: /** @type {Range} */ ([0, part.key_tokens]) };
}

/**
 * @param {Analysis} analysis
 * @param {Part} part
 */
function firstWord(analysis, part) {
  const found = sidesOf(analysis, part).queries.findIndex((token) => !token.special);
  return { query: Math.max(0, found), key: null };
}
