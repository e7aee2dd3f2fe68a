/** A signed share of every head, as one picture, and the strongest heads by name. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { headName } from "../../wording/labels.js";
import { matrixMark } from "../../charts/matrix.js";
import { digitsFor, keepingFocus, rounded, signed, signedList, strongest } from "../widgets/signed_shares.js";

/** @typedef {{layer: number, head: number}} HeadAt */

/**
 * @typedef {object} HeadSharesData
 * @property {string} title  for who does not see it
 * @property {number[][]} values  layers × heads
 * @property {number} layer  the chosen head
 * @property {number} head
 * @property {0 | 1} numbering
 * @property {object} palette  of the theme: another one is drawn anew
 */

/**
 * @typedef {object} HeadSharesOptions
 * @property {(head: HeadAt, origin: "pick" | "move") => void} onPick
 * @property {(heads: HeadAt[]) => void} [onTogether]  several, to be looked at beside each other
 */

const LISTED = 6;

/**
 * @param {HTMLElement} element
 * @param {HeadSharesData} data
 * @param {HeadSharesOptions} options
 * @returns {import("../../api/types.js").View<HeadSharesData>}
 */
export function headSharesView(element, data, { onPick, onTogether }) {
  const picture = el("div", { class: "shares-picture" });
  const readout = el("p", { class: "shares-readout", "aria-hidden": "true" });
  const list = el("div", { class: "shares-list" });
  fill(element, el("div", { class: "shares-map" }, picture, readout), list);
  let shown = data;
  const mark = matrixMark(picture, drawing(data), {
    onPick: ({ row, column }) => onPick({ layer: row, head: column }, "move"),
  });
  picture.addEventListener("pointerover", (event) => tell(headUnder(event.target)));
  picture.addEventListener("pointerleave", () => tell(null));

  /** @param {EventTarget | null} target */
  function headUnder(target) {
    const cell = target instanceof Element ? target.closest(".mark-cell") : null;
    const index = cell ? [...picture.querySelectorAll(".mark-cell")].indexOf(cell) : -1;
    const heads = shown.values[0].length;
    return index < 0 ? null : { layer: Math.floor(index / heads), head: index % heads };
  }

  /** @param {HeadAt | null} at  null: the chosen one */
  function tell(at) {
    const { layer, head } = at ?? shown;
    const { values, numbering } = shown;
    const value = signed(values[layer][head], digitsFor(values.flat()) + 1);
    fill(readout, `${headName(layer, head, numbering)}: `, el("strong", {}, value));
  }

  /** @param {HeadSharesData} next */
  function drawing({ title, values, layer, head, numbering }) {
    const digits = digitsFor(values.flat());
    return {
      title,
      values: values.map((row) => row.map((value) => rounded(value, digits))),
      rows: values.map((_, index) => String(index + numbering)),
      columns: values[0].map((_, index) => String(index + numbering)),
      scale: /** @type {const} */ ("signed"),
      digits,
      axes: `${t("layer ↓")} ${t("head →")}`,
      chosen: { row: layer, column: head },
    };
  }

  /** @param {HeadSharesData} next */
  function draw(next) {
    shown = next;
    const { values, layer, head, numbering } = next;
    const flat = values.flat();
    const first = strongest(flat, values[0].length, LISTED);
    const together = () => onTogether?.(first.map(({ row, column }) => ({ layer: row, head: column })));
    const items = first.map(({ row, column, value }) => ({
      name: [headName(row, column, numbering)],
      value,
      isChosen: row === layer && column === head,
      onPick: () => onPick({ layer: row, head: column }, "pick"),
    }));
    keepingFocus(list, () =>
      fill(
        list,
        el("h3", { class: "output-title" }, t("Strongest heads")),
        items.length === 0 ? el("p", { class: "note" }, t("No head has a share.")) : null,
        signedList(items, digitsFor(flat)),
        onTogether && items.length > 1
          ? el("button", { type: "button", class: "button", onclick: together }, t("Draw these heads as lines"))
          : null,
      ),
    );
    tell(null);
  }

  draw(data);
  return {
    update(next) {
      mark.update(drawing(next));
      draw(next);
    },
    destroy() {
      mark.destroy();
      element.replaceChildren();
    },
  };
}
