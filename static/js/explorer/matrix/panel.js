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
/** @typedef {import("../widgets/panel.js").Bench} Bench */
/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {import("./shown_map.js").ShownMap} ShownMap */
/** @typedef {{part: Scene["part"], map: ShownMap}} Shown */

/**
 * @param {HTMLElement} element
 * @param {Bench} bench
 * @returns {import("../widgets/panel.js").Panel}
 */
export function matrixPanel(element, bench) {
  const { state, headLoader, schedule } = bench;
  const byId = (/** @type {string} */ id) => need(element, `#${id}`);
  bindExplain(element);
  const details = /** @type {HTMLDetailsElement} */ (byId("numbers"));
  details.ontoggle = schedule;
  const shownMap = createShownMap(bench);
  const options = createOptions(state, { box: byId("matrix-options") });
  /** @type {Shown | null} */
  let shown = null;
  const views = mountViews(
    element,
    createActions(bench, () => shown),
    schedule,
  );
  const dataOf = createMatrixData(bench);

  /** @param {Scene} scene */
  function draw(scene) {
    const { value, part, analysis } = scene;
    const { stage, layer, head, query } = value;
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
    byId("stage-meaning").textContent = [meaningOf(scene, map), scaleNote(data.scale)].filter(Boolean).join(". ");
    byId("axes-verb").textContent = axesVerb(stage);
  }

  return createPanel(element, {
    views,
    asks: [shownMap, headLoader, options],
    draw,
    point(place) {
      const map = shown?.map;
      if (map) views.matrix.patch(() => ({ pointed: shownPlaces(map, place) }));
    },
    forget: () => (shown = null),
  });
}

/**
 * What pointing, choosing, zooming and noting in the map mean for the page's state.
 * @param {Pick<Bench, "state" | "pointed">} bench
 * @param {() => Shown | null} shown
 */
export function createActions({ state, pointed }, shown) {
  /** The tokens of a row and a column of the map. @param {Pointed} place */
  const tokensOf = ({ query, key }) => ({
    query: tokenAt(shown()?.map.queries, query),
    key: tokenAt(shown()?.map.keys, key),
  });

  return {
    /** @param {Pointed} place @param {string} origin */
    onPick: (place, origin) => state.set(tokensOf(place), origin),
    /** @param {Pointed} place */
    onPoint: (place) => pointed.set(tokensOf(place)),
    /** @param {number | null} key */
    onPickKey: (key) => state.set({ key: tokensOf({ query: null, key }).key }, "pick"),
    /** @param {number | null} key  a column of the chosen row */
    onPointKey(key) {
      const place = tokensOf({ query: null, key });
      pointed.set({ ...place, query: key === null ? null : state.get().query });
    },
    /** @param {Range} rows @param {Range} cols */
    onZoom(rows, cols) {
      const now = shown();
      if (!now) return;
      const { part, map } = now;
      const window = {
        rows: tokenRange(map.queries, rows, part.query_tokens),
        cols: tokenRange(map.keys, cols, part.key_tokens),
      };
      state.set(writeWindow(window, part), "move");
    },
    /** @param {{query: number, key: number}} cell @param {string} text */
    onNote(cell, text) {
      const { part, layer, head, notes } = state.get();
      state.set({ notes: noteCell(notes, { part, layer, head, ...cell }, text) }, "pick");
    },
    /** @param {Partial<import("../state/view_state.js").ViewState>} change */
    onGo: (change) => state.set(change, "pick"),
  };
}

/**
 * @param {HTMLElement} element
 * @param {ReturnType<typeof createActions>} actions
 * @param {() => void} schedule
 */
function mountViews(element, { onPick, onPoint, onPickKey, onPointKey, onZoom, onNote, onGo }, schedule) {
  const byId = (/** @type {string} */ id) => need(element, `#${id}`);
  return {
    lead: mount(byId("lead"), leadView, {}),
    segments: mount(byId("segments"), segmentsView, { onPick: onGo }),
    matrix: mount(byId("matrix"), matrixView, { onPick, onPoint, onZoom }),
    problem: mount(byId("matrix-problem"), failureView, {}),
    minimap: mount(byId("minimap"), minimapView, { onMove: onZoom }),
    legend: mount(byId("legend"), legendView, {}),
    table: viewOnDemand(
      () => import("./matrix_table.js"),
      ({ matrixTableView }) => mount(byId("table"), matrixTableView, {}),
      schedule,
    ),
    notes: lateView(
      () => import("./cell_notes.js"),
      ({ cellNotesView }) =>
        mount(byId("cell-notes"), cellNotesView, {
          field: /** @type {HTMLElement | null} */ (element.querySelector("#cell-note-place")) ?? el("div"),
          onNote,
          onPick: onGo,
        }),
      schedule,
    ),
    reads: mount(byId("reads"), readsView, { onPick: onPickKey, onPoint: onPointKey }),
  };
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
