/** The effects of the last patching study, drawn and as a table. */

import { el, fill, say } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { mount } from "../../base/mount.js";
import { legendView } from "../../charts/heat_map/legend.js";
import { headSharesView } from "../widgets/head_shares.js";
import { tableDisclosure } from "../widgets/number_table.js";
import { patchEffectsView } from "./patch_effects.js";
import { positionsView } from "./positions.js";
import { runsView } from "./prompts.js";
import { effectTable, resultsOf } from "./results.js";

/**
 * @param {ReturnType<typeof import("./layout.js").layOut>} boxes
 * @param {import("../widgets/panel.js").Bench["state"]} state
 */
export function createEffects(boxes, state) {
  /** @type {ReturnType<typeof resultsOf> | null} */
  let shown = null;
  const table = tableDisclosure({ label: t("Effect of every patch"), make: () => shown && effectTable(shown) });
  /** Query heads. */
  const perColumn = () => shown?.found.query_heads_per_column ?? 1;
  const views = {
    runs: mount(boxes.runs, runsView, {}),
    heads: mount(boxes.heads, headSharesView, {
      onPick: ({ layer, head }, origin) => state.set({ layer, head: head * perColumn() }, origin),
    }),
    legend: mount(boxes.legend, legendView, {}),
    positions: mount(boxes.positions, positionsView, { onPick: (cell, origin) => state.set(cell, origin) }),
    patches: mount(boxes.patches, patchEffectsView, { onPick: (query) => state.set({ query }, "pick") }),
  };

  return {
    table: table.element,
    views,
    found: () => shown?.found ?? null,
    /**
     * @param {import("../widgets/panel.js").Scene} scene
     * @param {import("../../api/patching.js").AnyPatching} found
     * @param {import("./results.js").Picture[]} images
     */
    draw(scene, found, images) {
      const { analysis, value } = scene;
      shown = resultsOf(scene, found, images);
      const { title, most, heads, positions, patches } = shown;
      say(boxes.title, title);
      views.runs({ found, numbering: value.numbering, predicting: analysis.target_tokens ?? analysis.tokens });
      views.heads(heads);
      views.positions(positions);
      views.patches(patches);
      views.legend({ scale: "signed", limits: [-most, most], faint: false, hasMasked: false });
      fill(boxes.caveats, ...found.caveats.map((caveat) => el("li", {}, caveat)));
      table.draw();
    },
    forget() {
      shown = null;
    },
  };
}
