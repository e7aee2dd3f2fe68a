/** The boxes of the panel of patching. */

import { el } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

export function layOut() {
  const boxes = {
    inputs: el("div", { class: "patching-inputs" }),
    image: el("div", { class: "patching-image" }),
    prompts: el("div", { class: "patching-prompts" }),
    images: el("div", { class: "patching-prompts" }),
    waiting: el("div", { class: "patching-waiting" }),
    runs: el("p", { class: "patching-runs" }),
    heads: el("div", { class: "shares" }),
    positions: el("div", { class: "shares" }),
    patches: el("div", { class: "patching-patches" }),
    legend: el("div", { class: "legend patching-legend" }),
    obstacle: el("p", { class: "note patching-notice" }),
    notice: el("p", { class: "note patching-notice" }),
    title: el("h3", { class: "output-title patching-title" }),
    caveats: el("ul", { class: "patching-meaning note" }),
  };
  const results = el(
    "div",
    { class: "patching-results" },
    boxes.runs,
    el("div", { class: "patching-heading" }, boxes.title, boxes.legend),
    boxes.heads,
    boxes.patches,
    boxes.positions,
  );
  const meaning = el("section", {}, el("h3", { class: "output-title" }, t("What an effect means")), boxes.caveats);
  return { ...boxes, results, meaning };
}
