/** The Explorer in a lecture: snippets, presenting, and the bare page in a frame. */

import { need } from "../../base/dom.js";
import { absolute } from "../../base/place.js";
import { examples } from "../state/examples.js";
import { isFramed } from "../../page/framed.js";
import { bindLecturePage } from "../../page/lecture_page.js";
import { exampleButton } from "./example_buttons.js";
import { address } from "./history.js";
import { t } from "../../base/i18n.js";
import { lateView, viewOnDemand } from "../widgets/late_view.js";
import { isPresenting } from "../../page/present.js";
import { isStale, outOfDate } from "../state/freshness.js";
import { writeState } from "../state/view_state.js";
import { mount } from "../../base/mount.js";
import { SIDEWAYS } from "./sideways.js";
import { stageSteps } from "./stage_steps.js";

/** @typedef {import("../state/view_state.js").ViewState} ViewState */

/** Of a frame, until the page in it says how high it is. */
const HEIGHT = 860;

/**
 * @typedef {object} LecturePage
 * @property {import("../../base/store.js").Store<ViewState>} state
 * @property {import("../state/draft.js").DraftStore} draftStore
 * @property {import("../state/freshness.js").FreshnessStore} freshness
 * @property {ReturnType<typeof import("../data/analyses.js").createAnalyst>["open"]} open  an example
 * @property {ReturnType<typeof import("./pin_button.js").bindPinning>["talk"]} talk  of the pinned views
 */

/**
 * @param {Document} root
 * @param {import("../widgets/panel.js").Config} config
 * @param {LecturePage} page
 * @returns {() => void}  shows the slides of a talk that have come or changed
 */
export function bindExplorerLecture(root, config, { state, draftStore, freshness, open, talk }) {
  const full = (/** @type {string} */ path) => absolute(path + writeState(state.get()));
  const examplesDeck = createDeck(root, { state, draftStore, open });
  // Whoever has pinned views presents these.
  const deck = {
    now: () => (talk() ?? examplesDeck).now(),
    go: (/** @type {import("../../page/deck.js").Place} */ place) => (talk() ?? examplesDeck).go(place),
    notes: () => talk()?.openNotes ?? null,
  };
  const presenting = bindLecturePage(root, deck, onPresent);
  const fitType = viewOnDemand(
    () => import("../../page/type_fit.js"),
    ({ bindTypeFit }) => bindTypeFit(need(root, "#bench"), look, SIDEWAYS),
    () => fitType(isPresenting()),
  );
  const show = isFramed(root) ? bindFrame(root, full) : bindTools(root, config, freshness, full);
  state.subscribe(render);
  draftStore.subscribe(render);
  freshness.subscribe(render);
  render();
  return render;

  function render() {
    show();
    presenting();
    fitType(isPresenting() || null);
  }

  function look() {
    const { view, model, text } = state.get();
    return JSON.stringify([view, model, text]);
  }

  function onPresent() {
    if (!isFramed(root)) history.replaceState(null, "", address(state.get()));
    render();
  }
}

/**
 * @param {Document} root
 * @param {(path: string) => string} full
 */
function bindFrame(root, full) {
  const open = /** @type {HTMLAnchorElement} */ (need(root, "#open-page"));
  return () => void (open.href = full("/"));
}

/**
 * @param {Document} root
 * @param {import("../widgets/panel.js").Config} config
 * @param {import("../state/freshness.js").FreshnessStore} freshness
 * @param {(path: string) => string} full
 */
function bindTools(root, { embeddable }, freshness, full) {
  const box = /** @type {HTMLDetailsElement} */ (need(root, "#lecture"));
  const tools = lateView(
    () => import("../../page/lecture_tools.js"),
    ({ lectureToolsView }) => mount(need(root, "#snippets"), lectureToolsView, { embeddable }),
    () => show(),
  );
  const show = () => {
    const title = t("Attention in a real model");
    const obstacle = isStale(freshness.get()) ? outOfDate(freshness.get()) : "";
    if (box.open) tools({ link: full("/"), embed: full("/embed/explorer"), title, height: HEIGHT, obstacle });
  };
  box.addEventListener("toggle", show);
  return show;
}

/**
 * Figures are the page's examples; the steps of each, the stages on the way to its weights.
 * @param {Document} root
 * @param {Pick<LecturePage, "state" | "draftStore" | "open">} page
 * @returns {import("../../page/deck.js").Deck}
 */
function createDeck(root, { state, draftStore, open }) {
  const list = examples();
  const figures = list.map((example) => ({ name: exampleButton(root, example).textContent ?? "", notice: "" }));
  const stages = stageSteps(root, state);
  return {
    now() {
      const value = draftStore.get();
      const { text, pair } = value;
      const figure = list.findIndex((example) => example.text === text && (example.pair ?? "") === pair);
      return { figures, figure, ...stages.now(value) };
    },
    go({ figure, step }) {
      if (figure !== null) open(list[figure], stages.at(step));
      else stages.go(step);
    },
  };
}
