/** How an output came about, in an exported file: every look at the one output for which it was saved. */

import { decodeAttribution } from "../../api/output.js";
import { el, fill, need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { headName } from "../../wording/labels.js";
import { createOutputMap } from "../output/map.js";
import { createStore } from "../../base/store.js";
import { attributionView } from "../output/attribution.js";
import { directEffectView } from "../output/direct_effect.js";
import { logitLensView } from "../output/logit_lens.js";
import { mount } from "../../base/mount.js";
import { outputView } from "../output/output.js";

/** @typedef {import("../../api/output.js").Look} Look */
/** @typedef {import("./saved_output.js").SavedOutput} SavedOutput */
/** @typedef {import("../../api/types.js").Scene} Scene */

/** @typedef {Pick<Scene, "part" | "queries" | "keys" | "palette" | "pointed"> & {layer: number, head: number}} Shown */

/**
 * @param {Document} root
 * @param {object} options
 * @param {0 | 1} options.numbering
 * @param {ReturnType<typeof import("../../charts/thumbnail_sheet.js").createPartMemory>} options.remember
 * @param {(head: {layer: number, head: number}) => void} options.onPick
 * @param {import("../../base/store.js").Store<import("../../api/types.js").Pointed>} options.pointed
 * @param {() => void} options.schedule
 */
export function createSavedOutput(root, { numbering, remember, onPick, pointed, schedule }) {
  const section = need(root, "#output-section");
  const data = root.querySelector("#output-data");
  section.hidden = data === null;
  if (!data) return { show: () => {}, point: () => {} };
  /** @type {SavedOutput} */
  const saved = JSON.parse(data.textContent ?? "null");
  const attribution = saved.attribution && decodeAttribution(saved.attribution);
  const { looks } = saved.output;
  const first = looks.find((one) => one === saved.look) ?? looks[0] ?? null;
  const own = createStore({ look: first, cell: saved.cell, rows: "", cols: "" });
  own.subscribe(schedule);
  const boxes = {
    chooser: el("div", { class: "output-chooser" }),
    logit_lens: el("div"),
    direct_effect: el("div"),
    attribution: el("div"),
    map: el("div", { class: "attribution-weights" }),
  };
  const note = el("p", { class: "note" });
  fill(need(root, "#output"), ...Object.values(boxes), note);
  const show = {
    chooser: mount(boxes.chooser, outputView, {
      onLook: (look) => own.set({ look }),
    }),
    logit_lens: mount(boxes.logit_lens, logitLensView, {}),
    direct_effect: mount(boxes.direct_effect, directEffectView, { onPick }),
    attribution: mount(boxes.attribution, attributionView, { onPick }),
  };
  const map = createOutputMap(boxes.map, {
    ...{ state: own, pointed, remember },
  });

  return {
    /** @param {Shown} shown */
    show({ part, layer, head, queries, keys, palette, pointed: place }) {
      const { look, cell, rows, cols } = own.get();
      const { output, further, chosen, token, at, logit_lens: lens, direct_effect: effect } = saved;
      const { followed, against, words } = chosen;
      const common = { layer, head, numbering, output: words, palette };
      show.chooser({ output, token, further, followed, against, look: look ?? "attribution", aim: null, numbering });
      show.logit_lens(look === "logit_lens" && lens ? { lens, numbering } : null);
      show.direct_effect(look === "direct_effect" && effect ? { ...common, effect } : null);
      const heads = attribution?.parts.find((/** @type {{name: string}} */ { name }) => name === part.name)?.heads;
      const isGradient = look === "attribution" && attribution && heads;
      show.attribution(isGradient ? { ...common, value: attribution.output, heads } : null);
      const isSaved = part.name === at.part && layer === at.layer && head === at.head;
      const name = headName(at.layer, at.head, numbering);
      if (isGradient && isSaved) {
        const value = { layer, head, numbering, cell, rows, cols };
        map.show({ value, part, queries, keys, name, palette, pointed: place }, attribution.matrix);
      } else map.hide();
      note.textContent = isGradient
        ? t("This file holds one output, and the weights of {head} alone. For others, open the live page.", {
            head: name,
          })
        : t("This file holds one output. For another token or position, open the live page.");
    },
    /** @param {import("../../api/types.js").Pointed} place  which alone has changed */
    point: (place) => map.point(place),
  };
}
