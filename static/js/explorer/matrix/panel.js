/** Panel of the matrix of the chosen head with legend, minimap, table, and the row of the chosen query. */

import { shownPlaces, tokenAt, tokenRange } from "../state/arrangement.js";
import { isUploaded } from "../../api/analyses.js";
import { el, need } from "../../base/dom.js";
import { createShownMap } from "./shown_map.js";
import { labelled, t } from "../../base/i18n.js";
import { stageMeaning } from "../../wording/labels.js";
import { readWindow, writeWindow } from "../state/selection.js";
import { axesVerb, rowSums } from "../../wording/stage_words.js";
import { failureView } from "../../page/failure.js";
import { scaleNote } from "../../charts/heat_map/auto_scale.js";
import { bindExplain, leadOf, leadView } from "./lead.js";
import { legendView } from "../../charts/heat_map/legend.js";
import { matrixView } from "../../charts/heat_map/heat_map.js";
import { minimapView } from "../../charts/heat_map/minimap.js";
import { mount } from "../../base/mount.js";
import { createMatrixData } from "./matrix_data.js";
import { lateView, viewOnDemand } from "../widgets/late_view.js";
import { createOptions } from "../widgets/options.js";
import { createPanel } from "../widgets/panel.js";
import { readsView } from "../widgets/reads.js";
import { noteCell } from "../state/figure_notes.js";
import { segmentsView } from "../widgets/segments.js";

/** @typedef {import("../../charts/heat_map/cells.js").Pointed} Pointed */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {import("./shown_map.js").ShownMap} ShownMap */

/**
 * @param {HTMLElement} element
 * @param {import("../widgets/panel.js").Bench} bench
 * @returns {import("../widgets/panel.js").Panel}
 */
export function matrixPanel(element, bench) {
  const { state, pointed, headLoader, schedule } = bench;
  const at = (/** @type {string} */ id) => need(element, `#${id}`);
  bindExplain(element);
  const details = /** @type {HTMLDetailsElement} */ (at("numbers"));
  details.ontoggle = schedule;
  const shownMap = createShownMap(bench);
  const options = createOptions(state, { box: at("matrix-options") });
  /** @type {{part: Scene["part"], map: ShownMap} | null} */
  let shown = null;
  /** @param {Pointed} place */
  const tokensOf = ({ query, key }) => ({
    query: tokenAt(shown?.map.queries, query),
    key: tokenAt(shown?.map.keys, key),
  });
  const views = {
    lead: mount(at("lead"), leadView, {}),
    segments: mount(at("segments"), segmentsView, { onPick: (window) => state.set(window, "pick") }),
    matrix: mount(at("matrix"), matrixView, {
      onPick: (place, origin) => state.set(tokensOf(place), origin),
      onPoint: (place) => pointed.set(tokensOf(place)),
      onZoom: zoomTo,
    }),
    problem: mount(at("matrix-problem"), failureView, {}),
    minimap: mount(at("minimap"), minimapView, { onMove: zoomTo }),
    legend: mount(at("legend"), legendView, {}),
    table: viewOnDemand(
      () => import("./matrix_table.js"),
      ({ matrixTableView }) => mount(at("table"), matrixTableView, {}),
      schedule,
    ),
    notes: lateView(
      () => import("./cell_notes.js"),
      ({ cellNotesView }) =>
        mount(at("cell-notes"), cellNotesView, {
          field: /** @type {HTMLElement | null} */ (element.querySelector("#cell-note-place")) ?? el("div"),
          onNote: noteOn,
          onPick: (cell) => state.set(cell, "pick"),
        }),
      schedule,
    ),
    reads: mount(at("reads"), readsView, {
      onPick: (key) => state.set({ key: tokensOf({ query: null, key }).key }, "pick"),
      onPoint: (key) => {
        const place = tokensOf({ query: null, key });
        pointed.set({ ...place, query: key === null ? null : state.get().query });
      },
    }),
  };

  /**
   * @param {Range} rows
   * @param {Range} cols
   */
  function zoomTo(rows, cols) {
    if (!shown) return;
    const { part, map } = shown;
    const window = {
      rows: tokenRange(map.queries, rows, part.query_tokens),
      cols: tokenRange(map.keys, cols, part.key_tokens),
    };
    state.set(writeWindow(window, part), "move");
  }

  /** @param {{query: number, key: number}} cell @param {string} text */
  function noteOn(cell, text) {
    const { part, layer, head, notes } = state.get();
    state.set({ notes: noteCell(notes, { part, layer, head, ...cell }, text) }, "pick");
  }

  const dataOf = createMatrixData(bench);
  return createPanel(element, {
    views,
    asks: [shownMap, headLoader, options],
    draw(scene) {
      const { value, part, analysis } = scene;
      const { stage } = value;
      const { layer, head, query } = value;
      const look = { id: analysis.id, part, layer, head, stage, ...readWindow(value, part), query };
      const map = shownMap.take(scene, look);
      shown = { part, map };
      const data = dataOf(scene, map, look);
      views.lead(data.reads && leadOf(scene, map, data.reads));
      views.segments(data.segments);
      views.matrix(data.matrix);
      views.minimap(data.minimap);
      views.legend(data.legend);
      views.reads(data.reads);
      views.notes(data.notes);
      views.table(details.open ? data.table : null);
      views.problem(map.failure);
      options.show(value, { heads: map.heads, obstacle: map.obstacle });
      at("stage-meaning").textContent = [meaningOf(scene, map), scaleNote(data.scale)].filter(Boolean).join(". ");
      at("axes-verb").textContent = axesVerb(stage);
    },
    point(place) {
      const map = shown?.map;
      if (map) views.matrix.patch(() => ({ pointed: shownPlaces(map, place) }));
    },
    forget: () => (shown = null),
  });
}

/** @param {string} meaning @param {number} cap */
function cappedMeaning(meaning, cap) {
  return t("{meaning}; scaled scores are capped first: {cap} · tanh(score / {cap})", { meaning, cap });
}

/**
 * What the numbers of the map are, and what its rows add up to.
 * @param {Scene} scene
 * @param {ShownMap} map
 */
function meaningOf({ value: { stage, hide, renormalise }, analysis, part }, { keys, matrix }) {
  const isGiven = isUploaded(analysis.id);
  const isCapped = stage === "masked_scores" && part.score_cap;
  const plain = isGiven ? t("weights as uploaded") : stageMeaning(stage);
  const meaning = isCapped ? cappedMeaning(plain, part.score_cap ?? 0) : plain;
  const shown = { keys: keys.tokens.length, isHiding: hide && !renormalise, isGiven, hasSink: !!part.sink_shares };
  const sums = rowSums(stage, matrix, shown);
  return meaning && sums ? labelled(meaning, sums) : meaning || sums;
}
