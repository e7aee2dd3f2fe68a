/** Series of lines: the heads drawn together with colours and names, the share of each row, and back to all tokens. */

import { MARK_SIGNS, markName, markOf } from "../state/changes/changed_heads.js";
import { el, fill, plainButton, svg } from "../../base/dom.js";
import { changes, drawnView } from "../../base/mount.js";
import { indexOfHead } from "../state/head_list.js";
import { t } from "../../base/i18n.js";
import { headName } from "../../wording/labels.js";

/** @typedef {import("../state/head_list.js").HeadAt} HeadAt */

/**
 * @typedef {object} SeriesData
 * @property {import("../../api/types.js").Part} part
 * @property {HeadAt[]} heads  drawn; the first is the chosen one
 * @property {{color: string, dash: number[]}[]} looks  of each, or one for the mean
 * @property {import("../state/changes/changed_heads.js").ChangedHeads} changed  heads that are marked
 * @property {boolean} mean
 * @property {number} top  percent
 * @property {boolean} isLocked
 * @property {0 | 1} numbering
 */

/**
 * @typedef {object} SeriesOptions
 * @property {(heads: HeadAt[]) => void} onAdd
 * @property {(head: HeadAt) => void} onRemove
 * @property {(percent: number) => void} onTop
 * @property {() => void} onUnlock
 */

/**
 * @param {HTMLElement} element
 * @param {SeriesData} data
 * @param {SeriesOptions} options
 * @returns {import("../../base/mount.js").View<SeriesData>}
 */
export function seriesView(element, data, { onAdd, onRemove, onTop, onUnlock }) {
  /** @type {SeriesData | null} */
  let current = null;
  const list = el("ul", { class: "series", "aria-label": t("Heads drawn") });
  const add = el("select", {
    "aria-label": t("Draw another head"),
    onchange() {
      const [layer, head] = add.value.split(".").map(Number);
      add.value = "";
      const whole = Array.from({ length: current?.part.heads ?? 0 }, (_, index) => ({ layer, head: index }));
      onAdd(head === undefined ? whole : [{ layer, head }]);
    },
  });
  const slider = el("input", {
    type: "range",
    id: "lines-top",
    min: 1,
    max: 100,
    step: 1,
    oninput: () => onTop(Number(slider.value)),
  });
  const percent = el("output", { for: "lines-top", class: "series-percent" });
  const unlock = plainButton(t("Show all lines"), onUnlock);
  const top = el("label", { class: "series-top", for: "lines-top" }, t("Strongest lines of each row, up to"));
  fill(
    element,
    el("div", { class: "series-line" }, list, add),
    el("div", { class: "series-line" }, top, slider, percent, unlock),
  );

  return drawnView(element, data, (next) => {
    const differs = changes(current, next);
    current = next;
    if (differs("part", "numbering")) fill(add, ...choicesOf(next));
    fill(list, ...chips(next, onRemove));
    for (const option of add.options) {
      const [layer, head] = option.value.split(".").map(Number);
      option.disabled = head !== undefined && indexOfHead(next.heads, { layer, head }) >= 0;
    }
    slider.value = String(next.top);
    percent.textContent = next.top === 100 ? t("100 % (all)") : `${next.top} %`;
    slider.setAttribute("aria-valuetext", t("{percent} % of its weight", { percent: next.top }));
    unlock.hidden = !next.isLocked;
  });
}

/** @param {SeriesData} data */
function choicesOf({ part, numbering }) {
  const groups = Array.from({ length: part.layers }, (_, layer) => {
    const said = { layer: layer + numbering };
    const heads = Array.from({ length: part.heads }, (_, head) =>
      el("option", { value: `${layer}.${head}` }, headName(layer, head, numbering)),
    );
    const layerOption = el("option", { value: String(layer) }, t("all heads of layer {layer}", said));
    return el("optgroup", { label: t("Layer {layer}", said) }, layerOption, ...heads);
  });
  return [el("option", { value: "" }, t("+ another head")), ...groups];
}

/**
 * The heads drawn; the first, which is the chosen one, cannot be left out.
 * @param {SeriesData} data
 * @param {(head: HeadAt) => void} onRemove
 */
function chips({ heads, looks, mean, changed, numbering }, onRemove) {
  const count = { count: heads.length };
  const joint = mean && heads.length > 1 && [sample(looks[0]), t("Mean of {count} heads:", count)];
  const items = heads.map((head, index) => {
    const name = headName(head.layer, head.head, numbering);
    const mark = markOf(changed, head);
    const close = el(
      "button",
      {
        type: "button",
        class: "series-close",
        onclick: () => onRemove(head),
        "aria-label": t("Remove {head}", { head: name }),
      },
      "×",
    );
    const content = [!mean && sample(looks[index]), name, mark && marked(mark), index > 0 && close];
    return el("li", { class: "series-chip" }, ...content);
  });
  return [joint && el("li", { class: "series-chip is-mean" }, ...joint), ...items];
}

/** @param {{color: string, dash: number[]}} look */
function sample({ color, dash }) {
  const line = svg("line", { x1: 1, x2: 25, y1: 5, y2: 5, "stroke-dasharray": dash.join(" ") });
  line.style.stroke = color;
  return svg("svg", { class: "series-sample", viewBox: "0 0 26 10", "aria-hidden": "true" }, line);
}

/** @param {import("../state/changes/changed_heads.js").HeadMark} mark */
function marked(mark) {
  return el("span", { class: "head-mark" }, `${MARK_SIGNS[mark]} ${markName(mark)}`);
}
