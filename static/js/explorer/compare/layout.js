/** Where things stand in the view that compares: the form, three maps, predictions. */

import { el, fill } from "../../base/dom.js";
import { axesLine } from "../widgets/axes_line.js";
import { t } from "../../base/i18n.js";

/**
 * @param {HTMLElement} element
 */
export function layOut(element) {
  const input = el("div");
  const problem = el("div", { class: "failure" });
  const maps = [0, 1, 2].map(() => {
    const [name, head] = [el("span"), el("span", { class: "compare-head" })];
    const title = el("h3", { class: "compare-title" }, name, " ", head);
    const map = el("div", { class: "matrix" });
    const note = el("p", { class: "note compare-note", hidden: true });
    const problem = el("div", { class: "failure" });
    return { name, head, map, note, problem, box: el("div", { class: "compare-map" }, title, note, problem, map) };
  });
  const legend = el("div", { class: "legend" });
  const signed = el("div", { class: "legend" });
  maps[1].box.append(legend);
  maps[2].box.append(signed);
  const pairs = el("div", { class: "compare-pairs" });
  const changed = el("div", { class: "compare-changed" });
  const answers = el(
    "div",
    { class: "compare-map" },
    el("h3", { class: "compare-title" }, t("What the model predicts")),
    pairs,
    changed,
  );
  const verb = el("span");
  const axes = axesLine(verb);
  const results = el(
    "div",
    { class: "compare-results", hidden: true },
    axes,
    el("div", { class: "compare-maps" }, ...maps.map(({ box }) => box), answers),
  );
  fill(element, el("div", { class: "comparison-box" }, input, problem), results);
  return { input, problem, verb, maps, legend, signed, pairs, changed, answers, results };
}
