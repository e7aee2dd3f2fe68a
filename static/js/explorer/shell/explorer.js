/**
 * The Explorer: one state, every view drawn from it. Data flow one way: state → data of each view, picks → state. A
 * request for another analysis is only a draft until its answer is there: the state is what is shown.
 *
 * The pointed-at cell has a store of its own, so that hovering moves marks and renders nothing. Whether analyses come
 * from a server or from records in the page is known only to the source that the Explorer is given.
 */

import { createHeadLoader } from "../data/head_loader.js";
import { changedHeads } from "../state/changes/changed_heads.js";
import { need } from "../../base/dom.js";
import { perFrame } from "../../base/once_per_frame.js";
import { createHeadMeasures } from "../data/head_measures.js";
import { inSight } from "../state/in_sight.js";
import { headName } from "../../wording/labels.js";
import { createPartMemory } from "../../charts/thumbnail_sheet.js";
import { remembering } from "../../base/memoise.js";
import { fit, partOf, sidesOf } from "../state/selection.js";
import { createStore } from "../../base/store.js";
import { bindPaper } from "../../base/theme/paper.js";
import { bindDropdowns } from "../widgets/dropdown.js";
import { lateView } from "../widgets/late_view.js";
import { bindControls } from "./controls.js";
import { createGridSection } from "./sections/grid_section.js";
import { createGuideSection } from "./sections/guide_section.js";
import { createHeadSection } from "./sections/head_section.js";
import { bindShortcuts } from "./shortcuts.js";
import { bindTheme } from "./theme_palette.js";
import { createTokensSection } from "./sections/tokens_section.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../widgets/panel.js").Bench} Bench */
/** @typedef {import("../widgets/panel.js").Config} Config */
/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../../charts/heat_map/cells.js").Pointed} Pointed */
/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */
/** @typedef {import("../../base/store.js").Store<ViewState>} State */

/**
 * @typedef {object} Source  of analyses: a server, or records in the page
 * @property {import("../data/session.js").Session} session
 * @property {import("./panels.js").PanelMakers} panels
 * @property {(part: Part, at: {layer: number, head: number}) => string[]} stagesOf  stages that a head has
 * @property {() => Promise<import("../tokens/predicted.js").Rewriting>} rewriting
 * @property {(value: ViewState, analysis: Analysis | null) => void} show  draws what only this source has
 * @property {() => void | Promise<void>} start
 *
 * @typedef {(page: {root: Document, config: Config, state: State, schedule: () => void}) => Source} Connect
 */

/** @type {Pointed} */
const NOWHERE = { query: null, key: null };
/** @type {import("../widgets/panel.js").Selected} */
const NOTHING = { queries: [], keys: [] };

/**
 * @param {Document} root
 * @param {Config} config
 * @param {State} store
 * @param {Connect} connect
 */
export function startExplorer(root, config, store, connect) {
  /** The part whose heads are drawn. @type {Part | null} */
  let drawn = null;
  const schedule = perFrame(render);
  const state = inSight(store, () => drawn);
  const pointed = createStore(NOWHERE);
  const selected = createStore(NOTHING);
  const source = connect({ root, config, state, schedule });
  const { session } = source;
  const headLoader = createHeadLoader(session, schedule);
  const measures = createHeadMeasures(state, session, schedule);
  const remember = createPartMemory();
  const bench = { root, config, state, pointed, selected, session, headLoader, remember, measures, schedule };
  bindDropdowns(root);
  bindPaper(root);
  bindShortcuts(root);
  const controls = bindControls(root, state);
  const grid = createGridSection(bench);
  const further = createFurtherSections(bench, source);
  const sceneOf = createScenes(bench, source.stagesOf, bindTheme(state, schedule));

  state.subscribe(schedule);
  pointed.subscribe(perFrame(point));
  selected.subscribe(schedule);
  render();
  void source.start();

  function render() {
    const { analysis } = session.progress.get();
    source.show(state.get(), analysis);
    if (!analysis) return controls.update(state.get(), null);
    const scene = sceneOf(analysis);
    const { value, part, measured } = scene;
    const { parts, metric_info: info } = analysis;
    controls.update(value, { part, parts, info, offers: measured.offers, stages: source.stagesOf(part, value) });
    grid.show(scene);
    const isFirst = drawn === null;
    drawn = part;
    // All thumbnails are on the screen one frame before everything else is built.
    if (isFirst) return schedule();
    further.show(scene);
  }

  /** Only the pointed-at cell has changed. */
  function point() {
    if (drawn) further.point(pointed.get(), drawn);
  }
}

/**
 * All that is drawn besides the controls and the grid of heads.
 * @param {Bench} bench
 * @param {Source} source
 */
function createFurtherSections(bench, { panels, rewriting }) {
  const { root, schedule } = bench;
  const tokens = createTokensSection(bench);
  const head = createHeadSection(bench, panels);
  const guide = createGuideSection(bench);
  const likeliest = need(root, "#likeliest");
  const showPredicted = lateView(
    () => Promise.all([loadPredicted(), rewriting()]),
    ([{ createPredicted }, rewriting]) => createPredicted(root, rewriting),
    schedule,
  );
  return {
    /** @param {Scene} scene */
    show(scene) {
      tokens.show(scene);
      head.show(scene);
      likeliest.hidden = scene.analysis.predictions.length === 0;
      showPredicted(scene);
      guide.show(scene);
    },
    /** @param {Pointed} cell @param {Part} part */
    point(cell, part) {
      tokens.point(cell, part);
      head.point(cell);
    },
  };
}

/**
 * What the views draw of an analysis.
 * @param {Bench} bench
 * @param {Source["stagesOf"]} stagesOf
 * @param {() => Scene["palette"]} palette
 * @returns {(analysis: Analysis) => Scene}
 */
function createScenes({ state, pointed, measures }, stagesOf, palette) {
  /** The last. @type {{part: Part | null, view: ViewState["view"] | null}} */
  let last = { part: null, view: null };
  const markHeads = remembering(changedHeads);
  return (analysis) => {
    const value = within(analysis, state.get(), stagesOf);
    const part = partOf(analysis, value.part);
    // The cell under the pointer is gone, and a removed element fires no event when the pointer leaves it.
    if (part !== last.part || value.view !== last.view) pointed.set(NOWHERE);
    last = { part, view: value.view };
    const name = headName(value.layer, value.head, value.numbering);
    const sides = sidesOf(analysis, part, value.numbering);
    const [measured, changed] = [measures.take(analysis, part, value), markHeads(analysis, part)];
    return { value, analysis, part, measured, changed, ...sides, name, palette: palette(), pointed: pointed.get() };
  };
}

/**
 * The state limited to what the analysis has.
 * @param {Analysis} analysis
 * @param {ViewState} state
 * @param {Source["stagesOf"]} stagesOf
 * @returns {ViewState}
 */
export function within(analysis, state, stagesOf) {
  const value = { ...state, ...fit(analysis, state) };
  const stages = stagesOf(partOf(analysis, value.part), value);
  return stages.includes(value.stage) ? value : { ...value, stage: "weights" };
}

const loadPredicted = () => import("../tokens/predicted.js");
