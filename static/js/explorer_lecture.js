/** The Explorer in a lecture: snippets, presenting, and the bare page in a frame. */

import { need } from "./dom.js";
import { examples } from "./examples.js";
import { isFramed, reportSize } from "./framed.js";
import { address } from "./history.js";
import { t } from "./i18n.js";
import { lectureToolsView } from "./lecture_tools.js";
import { bindPresenting } from "./present.js";
import { isStale, outOfDate } from "./standing.js";
import { writeState } from "./url.js";
import { mount } from "./views/mount.js";

/** @typedef {import("./types.js").ViewState} ViewState */

/** Of a frame, until the page in it says how high it is. */
const HEIGHT = 860;

/**
 * @param {Document} root
 * @param {import("./types.js").Config} config
 * @param {object} page
 * @param {import("./store.js").Store<ViewState>} page.state
 * @param {import("./wanted.js").Wanted} page.wanted
 * @param {import("./standing_page.js").StandingStore} page.standing
 */
export function bindExplorerLecture(root, config, { state, wanted, standing }) {
  const full = (/** @type {string} */ path) => new URL(path + writeState(state.get()), location.origin).href;
  const presenting = bindPresenting(root, createDeck(root, state, wanted), onPresent);
  const show = isFramed(root) ? bindFrame(root, full) : bindTools(root, config, standing, full);
  state.subscribe(render);
  wanted.subscribe(render);
  standing.subscribe(render);
  render();

  function render() {
    show();
    presenting();
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
  reportSize(root);
  return () => void (open.href = full("/"));
}

/**
 * @param {Document} root
 * @param {import("./types.js").Config} config
 * @param {import("./standing_page.js").StandingStore} standing
 * @param {(path: string) => string} full
 */
function bindTools(root, { embeddable }, standing, full) {
  const box = /** @type {HTMLDetailsElement} */ (need(root, "#lecture"));
  const tools = mount(need(root, "#snippets"), lectureToolsView, { embeddable });
  const show = () => {
    const title = t("Attention in a real model");
    const obstacle = isStale(standing.get()) ? outOfDate(standing.get()) : "";
    if (box.open) tools({ link: full("/"), embed: full("/embed/explorer"), title, height: HEIGHT, obstacle });
  };
  box.addEventListener("toggle", show);
  return show;
}

/**
 * Figures are the page's examples; the steps of each, the stages on the way to its weights.
 * @param {Document} root
 * @param {import("./store.js").Store<ViewState>} state
 * @param {import("./wanted.js").Wanted} wanted
 * @returns {import("./present.js").Deck}
 */
function createDeck(root, state, wanted) {
  const list = examples();
  const figures = list.map(({ name }) => ({ name, notice: "" }));
  const stages = () => {
    const inputs = /** @type {NodeListOf<HTMLInputElement>} */ (root.querySelectorAll("input[name=stage]:enabled"));
    return [...inputs].map((input) => /** @type {import("./types.js").Stage} */ (input.value));
  };
  const buttons = () => /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("#examples .example"));

  return {
    now() {
      const { text, pair, stage, view } = wanted.get();
      const figure = list.findIndex((one) => one.text === text && (one.pair ?? "") === pair);
      const steps = view === "matrix" ? stages() : [];
      return { figures, figure, steps: Math.max(1, steps.length), step: Math.max(1, steps.indexOf(stage) + 1) };
    },
    go({ figure, step }) {
      if (figure !== null) buttons()[figure].click();
      const stage = stages()[step - 1];
      if (stage && state.get().view === "matrix") state.set({ stage }, "pick");
    },
  };
}
