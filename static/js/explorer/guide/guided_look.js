/** The guided look on the reader's own text: begun by whoever asks for it, ended at any time, remembered by nobody. */

import { need } from "../../base/dom.js";
import { mount } from "../../base/mount.js";
import { placed } from "../../base/place.js";
import { headCode } from "../../wording/labels.js";
import { numberedLabel } from "../../wording/token_apart.js";
import { createStandouts, reasonOf } from "../heads/start_here.js";
import { guideView, isOtherHead } from "./guide.js";

/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {Pick<Scene["value"], "layer" | "head" | "query" | "key">} Opened */

/**
 * @param {import("../widgets/panel.js").Bench} bench
 * @param {HTMLElement} element
 */
export function createGuidedLook({ root, state, remember, schedule }, element) {
  /** @type {number | null} */
  let step = null;
  /** What was open when the look began. @type {Opened} */
  let before = state.get();
  /** @type {Scene | null} */
  let shown = null;
  /** @type {HTMLElement | null} */
  let opener = null;
  const standoutsOf = createStandouts(remember);
  const draw = mount(element, guideView, { onStep, onEnd, course: placed("/lessons") });

  /** @param {number} next */
  function onStep(next) {
    if (isOtherHead(next) && step === next - 1 && shown) {
      state.set(otherThan(before, standoutsOf(shown).found, shown.part.heads), "pick");
    }
    if (step === next + 1 && isOtherHead(step)) state.set(before, "pick");
    step = next;
    schedule();
  }

  function onEnd() {
    step = null;
    schedule();
    focusAgain(root, opener);
  }

  return {
    /** @param {HTMLElement} button  what asked for it */
    begin(button) {
      opener = button;
      const { layer, head, query, key } = shown?.value ?? state.get();
      before = { layer, head, query, key };
      step = 0;
      state.set({ view: "matrix", stage: "weights" }, "pick");
      schedule();
    },

    /** @param {Scene} scene */
    show(scene) {
      shown = scene;
      const { value, part, queries, analysis } = scene;
      if (step === null || value.view !== "matrix") return draw(null);
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
    },
  };
}

/**
 * The head that stands out beside the one that was open; where there is none, the next of its layer.
 * @param {Opened} before
 * @param {import("../heads/standouts.js").Standout[]} found
 * @param {number} heads  of a layer
 * @returns {Partial<Opened>}
 */
export function otherThan(before, found, heads) {
  const other = found.find(({ layer, head }) => layer !== before.layer || head !== before.head);
  if (!other) return { head: (before.head + 1) % heads };
  const { layer, head, query, key } = other;
  return { layer, head, ...(query !== undefined && { query, key }) };
}

/**
 * What asked for the look may have been drawn anew, or be in a dialog that has closed.
 * @param {Document} root
 * @param {HTMLElement | null} opener
 */
function focusAgain(root, opener) {
  const openers = [opener, /** @type {HTMLElement | null} */ (root.querySelector("#lead .guide-start"))];
  const back = openers.find((one) => one?.checkVisibility()) ?? need(root, "#shortcuts");
  back.focus({ preventScroll: true });
}
