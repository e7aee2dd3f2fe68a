/**
 * The Explorer: one state, every view fed from it. Data flow one way: state → data of each view; picks → state. What asks
 * for another analysis is only wanted until that is there: the state is what is shown.
 *
 * What the pointer is on goes its own way, from a view to those that mark it, so that pointing renders nothing anew.
 */

import { bindAddressNotes } from "../state/address_notes.js";
import { createAnalyst } from "../data/analyses.js";
import { isUploaded } from "../../api/analyses.js";
import { createAsking, ofPicture } from "../composer/inputs.js";
import { createCloser } from "../data/head_loader.js";
import { changedHeads, marksNote } from "../state/changed_heads.js";
import { bindControls } from "./controls.js";
import { el, fill, need } from "../../base/dom.js";
import { bindExporting } from "../saving/export.js";
import { perFrame } from "../../base/once_per_frame.js";
import { createGivenPictures } from "../data/images.js";
import { createHeadMeasures } from "../heads/head_measures.js";
import { headsShown, shownName, toggled } from "../state/head_list.js";
import { bindExplorerHistory } from "./history.js";
import { t } from "../../base/i18n.js";
import { inSight } from "../state/in_sight.js";
import { headName, metricTitle, stageName, summary } from "../../wording/labels.js";
import { exact } from "../../base/numbers.js";
import { createPanels } from "./panels.js";
import { picturePanel } from "../tokens/image_panel.js";
import { createPartMemory } from "../../charts/thumbnail_sheet.js";
import { remembering } from "../../base/memoise.js";
import { createRewriting, maskable, room } from "../composer/text_edits.js";
import { createPalette } from "../../charts/heat_map/scales.js";
import { fit, partOf, sidesOf } from "../state/selection.js";
import { saidOf, truncateText, truncationLabel } from "../composer/text_truncation.js";
import { bindStanding } from "./freshness_marks.js";
import { createStore } from "../../base/store.js";
import { applyTheme, onSystemTheme } from "../../base/theme.js";
import { composerView, formField } from "../composer/composer.js";
import { computationView } from "../composer/computation.js";
import { distributionView } from "../heads/distribution.js";
import { failureView } from "../../page/failure.js";
import { goToTokenView } from "../tokens/go_to_token.js";
import { gridView } from "../heads/grid.js";
import { headsView } from "../heads/profile.js";
import { measuresView } from "../heads/measures.js";
import { mount } from "../../base/mount.js";
import { predictionsView } from "../tokens/predictions.js";
import { progressView } from "../composer/progress.js";
import { tokensView } from "../tokens/strip.js";
import { createWhatIf } from "../what_if/what_if.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../../api/types.js").ViewState} ViewState */

/** With so few tokens one sees them all, and needs no field to look for one. */
const FEW_TOKENS = 64;

/**
 * @param {Document} root
 * @param {import("../../api/types.js").Config} config
 * @param {import("../../base/store.js").Store<ViewState>} store
 * @param {import("../state/draft.js").Wanted} wanted
 * @returns {Pick<import("./lecture.js").LecturePage, "standing" | "open">}
 */
export function startExplorer(root, config, store, wanted) {
  const state = inSight(store, () => drawnPart);
  const pointed = createStore(/** @type {import("../../api/types.js").Pointed} */ ({ query: null, key: null }));
  const schedule = perFrame(render);
  const pictures = createGivenPictures();
  const analyst = createAnalyst(state, wanted, pictures, schedule);
  const asking = createAsking(root, { config, wanted, analyst, pictures, schedule });
  const closer = createCloser(analyst.session, schedule);
  const measures = createHeadMeasures(state, analyst.session, schedule);
  const controls = bindControls(root, state, wanted, analyst.open);
  const remember = createPartMemory();
  const markHeads = remembering(changedHeads);
  const { session } = analyst;
  const standing = bindStanding(root, { state, wanted, analyst });
  bindExporting(root, state, session, standing);
  const bench = { root, config, state, pointed, session, closer, pictures, remember, measures, schedule };
  const panels = createPanels(bench);
  const picture = picturePanel(bench);
  const whatIf = createWhatIf(root, { state, wanted, onAsk: () => void analyst.run() });
  let palette = createPalette();
  /** @type {Part | null} whose heads stand on the page */
  let drawnPart = null;
  /** @type {{layer: number, head: number} | null} */
  let pointedHead = null;
  let tellHead = () => {};
  const show = mountViews();

  bindAddressNotes(root, state, session);
  bindExplorerHistory(state, wanted, session, (value, left) => void analyst.back(value, left));
  wanted.subscribe(schedule);
  state.subscribe((value, changed) => {
    if (changed.has("theme")) applyTheme(value.theme);
    if (changed.has("theme")) palette = createPalette();
    schedule();
  });
  pointed.subscribe(perFrame(point));
  onSystemTheme(() => {
    palette = createPalette();
    schedule();
  });
  render();
  void analyst.start(history.state);
  return { standing, open: analyst.open };

  function mountViews() {
    const at = (/** @type {string} */ id) => need(root, `#${id}`);
    const pickQuery = (/** @type {number} */ query) => state.set({ query, key: null }, "pick");
    const none = {};
    return {
      composer: mount(at("composer"), composerView, {
        onType: (fields) => wanted.put(fields, "type"),
        onModel: (model) => {
          wanted.put({ model, answer: null, against: null, cell: "" }, "pick");
          void analyst.run();
        },
        onRun: () => {
          // Places in another text mean nothing in this one.
          if (analyst.isEdited()) wanted.put({ query: null, key: null, rows: "", cols: "" }, "settle");
          void analyst.run();
        },
        onCancel: () => analyst.session.cancel(),
        onShorten: () => void truncateText(wanted, analyst),
        onInstead: (model) => asking.ask({ model }),
      }),
      progress: mount(at("progress"), progressView, {
        onCancel: () => analyst.session.cancel(),
        onRetry: analyst.retry,
      }),
      tokens: mount(at("tokens"), tokensView, {
        onPick: pickQuery,
        onPoint: (query) => pointed.set({ query, key: null }),
      }),
      goToToken: mount(at("go-to"), goToTokenView, { onPick: pickQuery }),
      grid: mount(at("grid"), gridView, {
        onPick: (head, beside) => state.set(beside ? { heads: toggled(state.get().heads, head) } : head, "pick"),
        onPoint: (head) => {
          pointedHead = head;
          tellHead();
        },
      }),
      measuring: mount(at("measuring"), measuresView, measures.choices),
      heads: mount(at("heads"), headsView, none),
      measures: mount(at("measures"), measuresView, measures.choices),
      distribution: mount(at("distribution"), distributionView, none),
      distributionProblem: mount(at("distribution-problem"), failureView, {}),
      predictions: mount(at("predictions"), predictionsView, createRewriting(wanted, analyst)),
      computation: mount(at("computation"), computationView, { onCheck: () => void analyst.compare() }),
    };
  }

  function render() {
    const value = state.get();
    const { analysis } = analyst.session.progress.get();
    renderComposer(value, wanted.get());
    if (!analysis) return controls.update(value, null);
    const part = partOf(analysis, value.part);
    const safe = { ...value, ...fit(analysis, value) };
    const measured = measures.take(analysis, part, safe);
    const { offers } = measured;
    controls.update(value, { part, parts: analysis.parts, info: analysis.metric_info, offers });
    const changed = markHeads(analysis, part);
    renderGrid(safe, part, measured, changed);
    if (drawnPart !== null) {
      drawnPart = part;
      const sides = sidesOf(analysis, part, safe.numbering);
      const name = headName(safe.layer, safe.head, safe.numbering);
      const scene = { value: safe, analysis, part, measured, changed, ...sides, name, palette, pointed: pointed.get() };
      renderTokens(scene);
      renderHead(scene);
    } else {
      // The picture of all heads is on the screen one frame before everything else is built.
      drawnPart = part;
      schedule();
    }
  }

  /**
   * @param {ViewState} value  shown
   * @param {ViewState} asked
   */
  function renderComposer(value, asked) {
    const progress = analyst.session.progress.get();
    const problem = analyst.problem();
    const field = problem && formField(problem.field);
    const isBusy = progress.phase === "running" || progress.phase === "waiting";
    show.composer({
      models: analyst.models(),
      ...{ model: asked.model, text: asked.text, pair: asked.pair, target: asked.target },
      isBusy,
      isEdited: analyst.isEdited(),
      errorField: field,
      errorMessage: field ? saidOf(problem, asked.model) : "",
      shorter: truncationLabel(problem, config.limits),
      instead: isUploaded(asked.model) || field === "model" ? analyst.readsText() : null,
    });
    const isOfChanges = problem?.field?.startsWith("interventions") ?? false;
    const { analysis } = progress;
    asking.show(asked, isBusy, problem);
    const isElsewhere = field || isOfChanges || ofPicture(problem?.field ?? null);
    show.progress({
      progress,
      loading: analyst.loading(),
      summary: summary(analysis),
      problem: isElsewhere ? "" : (problem?.message ?? ""),
    });
    whatIf(analysis ? { ...value, ...fit(analysis, value) } : value, analysis, isOfChanges ? problem : null);
  }

  /**
   * @param {ViewState} value
   * @param {Part} part
   * @param {import("../heads/head_measures.js").Measured} measured
   * @param {import("../state/changed_heads.js").ChangedHeads} changed
   */
  function renderGrid(value, part, { part: { metrics }, info, offers }, changed) {
    const { pictures, sheet } = remember(part);
    const colors = value.faint ? palette.bytes.faint : palette.bytes.plain;
    const title = metricTitle(value.metric, info[value.metric]);
    const metricValues = metrics[value.metric] ?? null;
    const sorted = value.sorted && metricValues !== null;
    show.grid({
      pictures,
      sheet: sheet(colors),
      layer: value.layer,
      head: value.head,
      changed,
      beside: value.heads,
      numbering: value.numbering,
      metricTitle: title,
      metricValues,
      sorted,
    });
    show.measuring({ offers: offers.filter(({ phase }) => phase === "running" || phase === "failed"), isTold: true });
    need(root, "#grid-size").textContent = t("{layers} layers × {heads} heads", part);
    need(root, "#grid-axes").hidden = sorted;
    tellHead = () => {
      const at = pointedHead ?? value;
      const number = metricValues?.[at.layer]?.[at.head];
      const measure = number === undefined ? "" : ` · ${title} ${exact(number)}`;
      need(root, "#grid-readout").textContent = headName(at.layer, at.head, value.numbering) + measure;
    };
    tellHead();
  }

  /** What is pointed at has changed, and nothing else. */
  function point() {
    const part = drawnPart;
    if (!part) return;
    show.tokens.patch(() => ({ pointed: pointedIn(part) }));
    picture.point(pointed.get());
    panels.point(pointed.get());
  }

  /** @param {Part} part  whose queries are the tokens above */
  function pointedIn(part) {
    const { query, key } = pointed.get();
    return { query, key: part.query_side === part.key_side ? key : null };
  }

  /** @param {import("../../api/types.js").Scene} scene */
  function renderTokens(scene) {
    const { value, part, queries } = scene;
    const { query, numbering } = value;
    const isPicture = picture.show(scene);
    const key = part.query_side === part.key_side ? value.key : null;
    show.tokens(isPicture ? null : { tokens: queries, query, key, pointed: pointedIn(part), numbering });
    const isLong = queries.length > FEW_TOKENS && !isPicture;
    show.goToToken(isLong ? { tokens: queries, query, numbering } : null);
  }

  /** @param {import("../../api/types.js").Scene} scene */
  function renderHead(scene) {
    const { value, analysis, part, measured, changed, queries, name } = scene;
    const { layer, head, stage } = value;
    const distribution = closer.distribution({ id: analysis.id, part, layer, head, stage });
    const heads = headsShown(value, part);
    const note = marksNote(changed, heads);
    fill(
      need(root, "#head-title"),
      shownName(value, part),
      note && " ",
      note && el("span", { class: "head-mark" }, note),
    );
    panels.show(scene);
    show.distribution(distribution && { distribution, stage: stageName(stage), name, isOfOne: heads.length > 1 });
    show.distributionProblem(closer.distributionFailure());
    need(root, "#heads-name").textContent = shownName(value, part);
    show.heads({ metrics: measured.part.metrics, info: measured.info, heads, numbering: value.numbering });
    show.measures({ offers: measured.offers, isTold: false });
    const { predictions, target_tokens: targets } = analysis;
    const rewritten = { room: room(analysis, config.limits), maskable: maskable(scene) };
    show.predictions({ predictions, tokens: targets ?? queries, ...rewritten });
    show.computation({ analysis, ...analyst.comparison() });
  }
}
