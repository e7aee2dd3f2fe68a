/** The chosen head: its name, the main panel, its metrics, and the distribution of its values. */

import { el, fill, need } from "../../../base/dom.js";
import { mount } from "../../../base/mount.js";
import { failureView } from "../../../page/failure.js";
import { stageName } from "../../../wording/labels.js";
import { measuresView } from "../../heads/measures.js";
import { marksNote } from "../../state/changes/changed_heads.js";
import { formatLimits, headsShown, keptHeads, parseLimits, shownName } from "../../state/head_list.js";
import { lateView } from "../../widgets/late_view.js";
import { isOfOneHead, viewTopic } from "../../state/view_names.js";
import { atlasAddress } from "../atlas_link.js";
import { createPanels } from "../panels.js";

/** @typedef {import("../../widgets/panel.js").Bench} Bench */
/** @typedef {import("../../widgets/panel.js").Scene} Scene */

/**
 * @param {Bench} bench
 * @param {import("../panels.js").PanelMakers} makers
 */
export function createHeadSection(bench, makers) {
  const { root, headLoader, measures } = bench;
  const byId = (/** @type {string} */ id) => need(root, `#${id}`);
  const panels = createPanels(bench, makers);
  const show = {
    measures: mount(byId("measures"), measuresView, measures.choices),
    distributionProblem: mount(byId("distribution-problem"), failureView, {}),
  };

  const toAtlas = /** @type {HTMLAnchorElement | null} */ (root.querySelector("#to-atlas"));
  const showProfile = lateProfile(byId("heads"), bench);
  const showStart = lateStart(byId("start-here"), bench);
  const showDistribution = lateView(
    loadDistribution,
    ({ distributionView }) => mount(byId("distribution"), distributionView, {}),
    bench.schedule,
  );

  return {
    /** @param {Scene} scene */
    show(scene) {
      const { value, analysis, part, measured, changed, name } = scene;
      const { layer, head, stage, numbering } = value;
      const heads = headsShown(value, part);
      const note = isOfOneHead(value.view) && marksNote(changed, heads);
      const topic = viewTopic(value, part, scene.queries);
      fill(byId("head-title"), topic, note && " ", note && el("span", { class: "head-mark" }, note));
      byId("heads-name").textContent = shownName(value, part);
      const distribution = headLoader.distribution({ id: analysis.id, part, layer, head, stage });
      panels.show(scene);
      showDistribution(distribution && { distribution, stage: stageName(stage), name, isOfOne: heads.length > 1 });
      show.distributionProblem(headLoader.distributionFailure());
      const { metrics } = measured.part;
      const shown = keptHeads(measured.part, value)?.size ?? part.layers * part.heads;
      showProfile({ metrics, info: measured.info, heads, limits: value.limits, shown, numbering });
      showStart(scene);
      show.measures({ offers: measured.offers, isTold: false });
      if (toAtlas) toAtlas.href = atlasAddress(value, part);
    },
    point: panels.point,
  };
}

/**
 * The measures of all heads, each with its limits.
 * @param {HTMLElement} element
 * @param {Bench} bench
 */
function lateProfile(element, { state, schedule }) {
  return lateView(
    loadProfile,
    ({ headsView }) =>
      mount(element, headsView, {
        onLimit(name, ends) {
          state.set({ limits: formatLimits({ ...parseLimits(state.get().limits), [name]: ends }) }, "move");
        },
        onClear: () => state.set({ find: "", limits: "" }, "pick"),
      }),
    schedule,
  );
}

/**
 * The heads that stand out on this text.
 * @param {HTMLElement} element
 * @param {Bench} bench
 */
function lateStart(element, { state, remember, schedule }) {
  return lateView(
    loadStart,
    ({ startHereView, createStandouts }) => {
      const dataOf = createStandouts(remember);
      const show = mount(element, startHereView, {
        onPick({ layer, head, query, key }) {
          state.set({ layer, head, ...(query !== undefined && { query, key }) }, "pick");
        },
      });
      return (/** @type {Scene} */ scene) => show(dataOf(scene));
    },
    schedule,
  );
}

const loadProfile = () => import("../../heads/profile.js");
const loadStart = () => import("../../heads/start_here.js");
const loadDistribution = () => import("../../heads/distribution.js");
