/** The studies of one output of the model, each drawn in a box of its own. */

import { createOutputMap } from "./map.js";
import { LOOKS } from "./questions.js";
import { el } from "../../base/dom.js";
import { formatHeads } from "../state/head_list.js";
import { headName } from "../../wording/labels.js";
import { t } from "../../base/i18n.js";
import { attributionView } from "./attribution.js";
import { directEffectView } from "./direct_effect.js";
import { logitLensView } from "./logit_lens.js";
import { mount } from "../../base/mount.js";

/** @typedef {{layer: number, head: number}} HeadAt */

/**
 * @param {import("../widgets/panel.js").Bench} bench
 * @param {((answer: number) => void) | null} onFollow  null where no other token can be followed
 */
export function createLooks(bench, onFollow) {
  const { state } = bench;
  const boxes = {
    logit_lens: el("div", { class: "lens" }),
    direct_effect: el("div", { class: "effect" }),
    attribution: el("div", { class: "attribution" }),
    map: el("div", { class: "attribution-weights" }),
  };
  const map = createOutputMap(boxes.map, bench);
  const onPick = (/** @type {HeadAt} */ head, /** @type {string} */ origin) => state.set(head, origin);
  const onTogether = (/** @type {HeadAt[]} */ [first, ...others]) =>
    state.set({ ...first, heads: formatHeads(others), view: "lines" }, "pick");
  const views = {
    logit_lens: mount(boxes.logit_lens, logitLensView, onFollow ? { onPick: onFollow } : {}),
    direct_effect: mount(boxes.direct_effect, directEffectView, { onPick, onTogether }),
    attribution: mount(boxes.attribution, attributionView, { onPick, onTogether }),
  };

  return {
    elements: Object.values(boxes),
    views,
    map,
    /** Shows the box of one of them. @param {import("./questions.js").Look | null} look */
    choose(look) {
      for (const name of LOOKS) boxes[name].hidden = name !== look;
      boxes.map.hidden = look !== "attribution";
    },
    /**
     * @param {import("../widgets/panel.js").Scene} scene
     * @param {string} output  in words
     * @param {import("./questions.js").Found} found
     * @returns {string}  what is not there; "" where all is
     */
    draw(scene, output, { lens, effect, attribution }) {
      const { value, palette, part } = scene;
      const { layer, head, numbering } = value;
      const common = { layer, head, numbering, output, palette };
      if (lens) views.logit_lens({ lens, numbering });
      if (effect) views.direct_effect({ ...common, effect });
      if (!attribution) return "";
      const heads = attribution.parts.find(({ name }) => name === part.name)?.heads;
      if (heads) views.attribution({ ...common, value: attribution.output, heads });
      const { matrix, heldFor } = attribution;
      if (matrix) map.show(scene, matrix);
      else map.hide();
      return !matrix && heldFor ? sumsAlone(heldFor, numbering) : "";
    },
  };
}

/**
 * A file holds the weights × gradients of one head, of the others their sums.
 * @param {HeadAt} of
 * @param {0 | 1} numbering
 */
function sumsAlone({ layer, head }, numbering) {
  const of = { head: headName(layer, head, numbering) };
  return t("This file holds one output, and only the weights of {head}. For others, open the live page.", of);
}
