/** The chosen head: its name, the main panel, its metrics, and the distribution of its values. */

import { el, fill, need } from "../../base/dom.js";
import { mount } from "../../base/mount.js";
import { failureView } from "../../page/failure.js";
import { stageName } from "../../wording/labels.js";
import { distributionView } from "../heads/distribution.js";
import { measuresView } from "../heads/measures.js";
import { headsView } from "../heads/profile.js";
import { marksNote } from "../state/changed_heads.js";
import { headsShown, shownName } from "../state/head_list.js";
import { createPanels } from "./panels.js";

/**
 * @param {import("../widgets/panel.js").Bench} bench
 * @param {import("./panels.js").PanelMakers} makers
 */
export function createHeadSection(bench, makers) {
  const { root, headLoader, measures } = bench;
  const at = (/** @type {string} */ id) => need(root, `#${id}`);
  const panels = createPanels(bench, makers);
  const show = {
    heads: mount(at("heads"), headsView, {}),
    measures: mount(at("measures"), measuresView, measures.choices),
    distribution: mount(at("distribution"), distributionView, {}),
    distributionProblem: mount(at("distribution-problem"), failureView, {}),
  };

  return {
    /** @param {import("../widgets/panel.js").Scene} scene */
    show(scene) {
      const { value, analysis, part, measured, changed, name } = scene;
      const { layer, head, stage, numbering } = value;
      const heads = headsShown(value, part);
      const note = marksNote(changed, heads);
      const shown = shownName(value, part);
      fill(at("head-title"), shown, note && " ", note && el("span", { class: "head-mark" }, note));
      at("heads-name").textContent = shown;
      const distribution = headLoader.distribution({ id: analysis.id, part, layer, head, stage });
      panels.show(scene);
      show.distribution(distribution && { distribution, stage: stageName(stage), name, isOfOne: heads.length > 1 });
      show.distributionProblem(headLoader.distributionFailure());
      show.heads({ metrics: measured.part.metrics, info: measured.info, heads, numbering });
      show.measures({ offers: measured.offers, isTold: false });
    },
    point: panels.point,
  };
}
