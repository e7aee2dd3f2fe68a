/** The guided look on the reader's own text: begun by whoever asks for it, ended at any time, remembered by nobody. */

import { need } from "../../base/dom.js";
import { mount } from "../../base/mount.js";
import { placed } from "../../base/place.js";
import { headCode } from "../../wording/labels.js";
import { numberedLabel } from "../../wording/token_apart.js";
import { lateView } from "../widgets/late_view.js";

/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {Pick<Scene["value"], "layer" | "head" | "query" | "key">} Opened */
/** @typedef {import("../heads/standouts.js").Standout} Standout */

/**
 * @param {import("../widgets/panel.js").Bench} bench
 * @returns {{show: (scene: Scene) => void}}
 */
export function createGuideSection({ root, state, remember, schedule }) {
  const element = /** @type {HTMLElement | null} */ (root.querySelector("#guide"));
  if (!element) return { show() {} };
  /** @type {number | null} */
  let step = null;
  /** What was open when the look began. @type {Opened} */
  let before = state.get();
  /** @type {((scene: Scene) => import("../heads/start_here.js").StartHereData) | null} */
  let standoutsOf = null;
  /** @type {Scene | null} */
  let shown = null;
  /** @type {HTMLElement | null} */
  let opener = null;

  const show = lateView(
    load,
    ([{ guideView, isOtherHead }, { createStandouts, reasonOf }]) => {
      const course = placed("/lessons");
      standoutsOf = createStandouts(remember);
      const draw = mount(element, guideView, { onStep, onEnd, course });

      /** @param {number} next */
      function onStep(next) {
        if (isOtherHead(next) && step === next - 1) openOther();
        if (step === next + 1 && isOtherHead(step)) state.set(before, "pick");
        step = next;
        schedule();
      }

      return (/** @type {Scene | null} */ scene) => {
        if (!scene || step === null || !standoutsOf) return draw(null);
        const { value, part, queries, analysis } = scene;
        const { numbering } = value;
        const data = standoutsOf(scene);
        const open = data.found.find(({ layer, head }) => layer === value.layer && head === value.head);
        draw({
          step,
          head: headCode(value.layer, value.head, numbering),
          before: headCode(before.layer, before.head, numbering),
          layers: part.layers,
          heads: part.heads,
          query: queries[value.query ?? 0] ? numberedLabel(queries[value.query ?? 0], numbering) : "",
          reason: open ? reasonOf(open, data) : "",
          predicts: analysis.predictions.length > 0,
        });
      };
    },
    schedule,
  );

  root.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest(".guide-start") : null;
    if (!button) return;
    opener = /** @type {HTMLElement} */ (button);
    const { layer, head, query, key } = shown?.value ?? state.get();
    before = { layer, head, query, key };
    step = 0;
    state.set({ view: "matrix", stage: "weights" }, "pick");
    schedule();
  });

  function openOther() {
    const [scene, found] = [shown, shown && standoutsOf ? standoutsOf(shown).found : []];
    const other = found.find(({ layer, head }) => layer !== before.layer || head !== before.head);
    if (other) {
      const { layer, head, query, key } = other;
      state.set({ layer, head, ...(query !== undefined && { query, key }) }, "pick");
    } else if (scene) state.set({ head: (before.head + 1) % scene.part.heads }, "pick");
  }

  function onEnd() {
    step = null;
    schedule();
    // Its opener may have been drawn anew, or be in a dialog that has closed.
    const openers = [opener, /** @type {HTMLElement | null} */ (root.querySelector("#lead .guide-start"))];
    const back = openers.find((one) => one?.checkVisibility()) ?? need(root, "#shortcuts");
    back.focus({ preventScroll: true });
  }

  return {
    show(scene) {
      shown = scene;
      const isThere = step !== null && scene.value.view === "matrix";
      if (isThere || element.childElementCount > 0) show(isThere ? scene : null);
    },
  };
}

const load = () => Promise.all([loadGuide(), loadStart()]);
const loadGuide = () => import("../guide/guide.js");
const loadStart = () => import("../heads/start_here.js");
