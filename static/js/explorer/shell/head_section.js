/** The chosen head: its name, the main panel, its metrics, and the distribution of its values. */

import { el, fill, need } from "../../base/dom.js";
import { remembering } from "../../base/memoise.js";
import { mount } from "../../base/mount.js";
import { failureView } from "../../page/failure.js";
import { stageName } from "../../wording/labels.js";
import { measuresView } from "../heads/measures.js";
import { standouts, tellingCell } from "../heads/standouts.js";
import { startHereView } from "../heads/start_here.js";
import { headsView } from "../heads/profile.js";
import { marksNote } from "../state/changed_heads.js";
import { headsShown, shownName } from "../state/head_list.js";
import { whenIdle } from "../widgets/late_panel.js";
import { isOfOneHead, viewTopic } from "../state/view_names.js";
import { atlasAddress } from "./atlas_link.js";
import { createPanels } from "./panels.js";

/**
 * @param {import("../widgets/panel.js").Bench} bench
 * @param {import("./panels.js").PanelMakers} makers
 */
export function createHeadSection(bench, makers) {
  const { root, state, headLoader, measures, remember } = bench;
  const at = (/** @type {string} */ id) => need(root, `#${id}`);
  const panels = createPanels(bench, makers);
  const show = {
    heads: mount(at("heads"), headsView, {}),
    start: mount(at("start-here"), startHereView, {
      onPick({ layer, head, query, key }) {
        state.set({ layer, head, ...(query !== undefined && { query, key }) }, "pick");
      },
    }),
    measures: mount(at("measures"), measuresView, measures.choices),
    distributionProblem: mount(at("distribution-problem"), failureView, {}),
  };

  const toAtlas = /** @type {HTMLAnchorElement | null} */ (root.querySelector("#to-atlas"));
  const findStandouts = remembering(
    (
      /** @type {import("../../api/types.js").Part} */ part,
      /** @type {import("../../base/decode.js").Thumbnails} */ thumbnails,
      /** @type {import("../../api/types.js").Token[]} */ queries,
      /** @type {import("../../api/types.js").Token[]} */ keys,
    ) => standouts({ part, thumbnails, queries, keys }),
  );
  const distributionCard = createDistributionCard(at("distribution"), bench.schedule);

  return {
    /** @param {import("../widgets/panel.js").Scene} scene */
    show(scene) {
      const { value, analysis, part, measured, changed, name } = scene;
      const { layer, head, stage, numbering } = value;
      const heads = headsShown(value, part);
      const note = isOfOneHead(value.view) && marksNote(changed, heads);
      const topic = viewTopic(value, part, scene.queries);
      fill(at("head-title"), topic, note && " ", note && el("span", { class: "head-mark" }, note));
      at("heads-name").textContent = shownName(value, part);
      const distribution = headLoader.distribution({ id: analysis.id, part, layer, head, stage });
      panels.show(scene);
      distributionCard(distribution && { distribution, stage: stageName(stage), name, isOfOne: heads.length > 1 });
      show.distributionProblem(headLoader.distributionFailure());
      show.heads({ metrics: measured.part.metrics, info: measured.info, heads, numbering });
      show.start({
        found: findStandouts(part, remember(part).thumbnails, scene.queries, scene.keys),
        ...{ metrics: part.metrics, info: analysis.metric_info, queries: scene.queries, keys: scene.keys },
        ...{ layer, head, numbering },
        cell: tellingCell({ ...scene, thumbnails: remember(part).thumbnails }, value),
      });
      show.measures({ offers: measured.offers, isTold: false });
      if (toAtlas) toAtlas.href = atlasAddress(value, part);
    },
    point: panels.point,
  };
}

/**
 * The chart of the distribution, which is below the first screen: its modules are loaded once the page is idle.
 * @param {HTMLElement} element
 * @param {() => void} onLoaded
 * @returns {(data: import("../heads/distribution.js").DistributionData | null) => void}
 */
function createDistributionCard(element, onLoaded) {
  /** @type {((data: import("../heads/distribution.js").DistributionData | null) => void) | null} */
  let show = null;
  let isAsked = false;

  async function begin() {
    const module = await load().catch(() => null);
    isAsked = module !== null; // else the next drawing asks again
    if (!module) return;
    show = mount(element, module.distributionView, {});
    onLoaded();
  }

  return (data) => {
    if (show) return show(data);
    if (isAsked || !data) return;
    isAsked = true;
    whenIdle(() => void begin());
  };
}

const load = () => import("../heads/distribution.js");
