/** Connect the Explorer to a server: composer, history, export, and everything else that a saved page lacks. */

import { decodeThumbnails } from "../../base/decode.js";
import { need } from "../../base/dom.js";
import { mount } from "../../base/mount.js";
import { createAnalyst } from "../data/analyses.js";
import { createGivenImages } from "../data/images.js";
import { bindAddressNotes } from "./notices/address_notes_section.js";
import { createBeside } from "../state/beside.js";
import { createComposerSection } from "./sections/composer_section.js";
import { createSameCode } from "./sections/same_code_section.js";
import { sidesOf } from "../state/selection.js";
import { latePanel } from "../widgets/late_panel.js";
import { whenIdle } from "../../base/idle.js";
import { lateView } from "../widgets/late_view.js";
import { bindExportButton } from "./export_button.js";
import { bindFreshness } from "./notices/freshness_marks.js";
import { bindExplorerHistory } from "./history.js";
import { bindExplorerLecture } from "./lecture.js";
import { bindPageLinks } from "./page_links.js";
import { PANELS } from "./panels.js";
import { bindExamples } from "./example_buttons.js";
import { bindPinning } from "./pin_button.js";

/** @typedef {{text: string, target: string, chat: boolean, system: string}} TextInput */

/**
 * @param {import("../state/draft.js").DraftStore} draftStore
 * @returns {import("./explorer.js").Connect}
 */
export function connectServer(draftStore) {
  return ({ root, config, state, schedule }) => {
    const images = createGivenImages();
    const analyst = createAnalyst(state, draftStore, images, schedule, createSuggestion());
    const { session, open, goTo, models: listed, relist } = analyst;
    const beside = createBeside(state);
    const onCompare = beside.ask;
    const composer = createComposerSection(root, { config, state, draftStore, analyst, images, onCompare, schedule });
    const { switchOff, chooseModel } = composer;
    const models = { listed, relist, chooseModel };
    const panels = { ...PANELS, ...latePanels({ images, beside, models, switchOff, openText }) };
    const showExamples = bindExamples(root, open);
    const freshness = bindFreshness(root, { state, draftStore, analyst });
    const showComputation = lateComputation(need(root, "#computation"), analyst, schedule);
    const showCode = createSameCode(root, schedule);
    /** What presents them, from the start on. */
    let showSlides = () => {};
    const pinning = bindPinning(root, {
      state,
      session,
      goTo,
      wanted: draftStore.get,
      onPins: () => showSlides(),
    });
    bindPageLinks(root, state, draftStore);
    bindExportButton(root, (menu, { bindExporting }) => bindExporting(menu, { state, session, freshness, images }));
    bindAddressNotes(root, state, session);
    bindExplorerHistory(state, draftStore, session, (value, left) => void analyst.back(value, left));
    draftStore.subscribe(schedule);

    /** Shows a text in the matrix of the same head. @param {TextInput} input */
    function openText(input) {
      const nowhere = { query: null, key: null, rows: "", cols: "" };
      draftStore.put({ ...input, pair: "", ...nowhere, view: "matrix" }, "pick");
      void analyst.run();
    }

    need(root, "#bench").inert = false;

    return {
      session,
      panels,
      stagesOf: ({ stages }) => stages,
      rewriting: () => loadEdits().then(({ createRewriting }) => createRewriting(draftStore, analyst, config.limits)),
      show(value, analysis) {
        composer.show(value, analysis);
        showExamples(draftStore.get());
        if (analysis) showComputation({ analysis, ...analyst.comparison() });
        if (analysis) showCode(value, analysis);
        pinning.show();
      },
      start() {
        void analyst.start(history.state);
        showSlides = bindExplorerLecture(root, config, { state, draftStore, freshness, open, talk: pinning.talk });
      },
    };
  };
}

/**
 * How and where an analysis was computed.
 * @param {HTMLElement} element
 * @param {ReturnType<typeof createAnalyst>} analyst
 * @param {() => void} schedule
 */
function lateComputation(element, analyst, schedule) {
  return lateView(
    () => import("../composer/computation.js"),
    ({ computationView }) => mount(element, computationView, { onCheck: () => void analyst.compare() }),
    schedule,
  );
}

/**
 * The panels that need more than any other.
 * @param {object} page
 * @param {import("../data/images.js").GivenImages} page.images
 * @param {import("../state/beside.js").Beside} page.beside
 * @param {import("../compare/other_model.js").Models} page.models
 * @param {ReturnType<typeof createComposerSection>["switchOff"]} page.switchOff
 * @param {(input: TextInput) => void} page.openText
 */
function latePanels({ images, beside, models, switchOff, openText }) {
  return {
    compare: latePanel(
      () => import("../compare/panel.js"),
      ({ comparePanel }) =>
        (element, bench) =>
          comparePanel(element, { ...bench, images, beside, ...models }),
    ),
    heads: latePanel(
      () => import("../heads/panel.js"),
      ({ headsPanel }) =>
        (element, bench) =>
          headsPanel(element, { ...bench, switchOff }),
    ),
    patching: latePanel(
      () => import("../patching/live_panel.js"),
      ({ livePatchingPanel }) =>
        (element, bench) =>
          livePatchingPanel(element, { ...bench, images }),
    ),
    prompts: latePanel(
      () => import("../prompts/panel.js"),
      ({ promptsPanel }) =>
        (element, bench) =>
          promptsPanel(element, { ...bench, openText }),
    ),
    reach: latePanel(
      () => import("../reach/panel.js"),
      ({ reachPanel }) => reachPanel,
    ),
  };
}

/**
 * The head of an analysis that stands out first; no first visit asks for it, so its modules are loaded once the page is
 * idle.
 * @returns {import("../data/shown_analysis.js").Suggest}
 */
function createSuggestion() {
  /** @type {typeof import("../heads/standouts.js") | null} */
  let module = null;
  whenIdle(
    () =>
      void load()
        .then((loaded) => (module = loaded))
        .catch(() => null),
  );
  return (analysis, part) => {
    if (!module) return null;
    const thumbnails = decodeThumbnails(part.overview);
    return module.standouts({ part, thumbnails, ...sidesOf(analysis, part) })[0] ?? null;
  };
}

const load = () => import("../heads/standouts.js");

const loadEdits = () => import("../composer/text_edits.js");
