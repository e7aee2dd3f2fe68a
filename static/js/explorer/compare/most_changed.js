/** The heads whose weights changed most between two runs. */

import { mostChanged } from "./difference_loader.js";
import { el, fill, keepingFocus } from "../../base/dom.js";
import { drawnView } from "../../base/mount.js";
import { t } from "../../base/i18n.js";
import { headName } from "../../wording/labels.js";
import { shareItem } from "../widgets/share_list.js";
import { exact } from "../../base/numbers.js";

/**
 * @typedef {object} MostChangedData
 * @property {number[][]} largest  by layer and head: the largest change of any weight
 * @property {number} layer  the chosen head
 * @property {number} head
 * @property {0 | 1} numbering
 */

const SHOWN = 8;

/**
 * @param {HTMLElement} element
 * @param {MostChangedData} data
 * @param {{onPick: (head: {layer: number, head: number}) => void}} options
 * @returns {import("../../base/mount.js").View<MostChangedData>}
 */
export function mostChangedView(element, data, { onPick }) {
  return drawnView(element, data, ({ largest, layer, head, numbering }) => {
    const first = mostChanged(largest, SHOWN);
    const items = first.map((entry) =>
      shareItem({
        name: [headName(entry.layer, entry.head, numbering)],
        value: exact(entry.change),
        share: entry.change / first[0].change,
        kind: "is-plain",
        isChosen: entry.layer === layer && entry.head === head,
        onPick: () => onPick({ layer: entry.layer, head: entry.head }),
      }),
    );
    keepingFocus(element, () =>
      fill(
        element,
        el("h3", { class: "compare-title" }, t("Heads most changed")),
        el("p", { class: "note" }, t("the largest change of any weight")),
        items.length === 0 && el("p", {}, t("No weight of any head changed.")),
        el("ol", { class: "reads" }, ...items),
      ),
    );
  });
}
