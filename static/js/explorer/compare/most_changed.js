/** The heads whose weights changed most between two runs. */

import { mostChanged } from "./difference_loader.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { headName } from "../../wording/labels.js";
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
 * @returns {import("../../api/types.js").View<MostChangedData>}
 */
export function mostChangedView(element, data, { onPick }) {
  /** @param {MostChangedData} next */
  function draw({ largest, layer, head, numbering }) {
    const first = mostChanged(largest, SHOWN);
    const most = first[0]?.change ?? 1;
    const focused = element.contains(document.activeElement)
      ? [...element.querySelectorAll("button")].indexOf(/** @type {HTMLButtonElement} */ (document.activeElement))
      : -1;
    fill(
      element,
      el("h3", { class: "compare-title" }, t("Heads most changed")),
      el("p", { class: "note" }, t("the largest change of any weight")),
      first.length === 0 && el("p", {}, t("No weight of any head changed.")),
      el(
        "ol",
        { class: "reads" },
        ...first.map((one) => {
          const bar = el("span", { class: "reads-bar is-plain", "aria-hidden": "true" });
          bar.style.setProperty("--share", String(one.change / most));
          const pressed = String(one.layer === layer && one.head === head);
          const pick = () => onPick({ layer: one.layer, head: one.head });
          return el(
            "li",
            {},
            el(
              "button",
              { type: "button", class: "reads-item", "aria-pressed": pressed, onclick: pick },
              el("span", { class: "reads-name" }, headName(one.layer, one.head, numbering)),
              el("span", { class: "reads-value" }, exact(one.change)),
              bar,
            ),
          );
        }),
      ),
    );
    if (focused >= 0) element.querySelectorAll("button")[focused]?.focus();
  }

  draw(data);
  return {
    update: draw,
    destroy() {
      element.replaceChildren();
    },
  };
}
