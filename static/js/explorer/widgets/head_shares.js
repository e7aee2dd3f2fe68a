/** Signed contributions of all heads: a chart, and the strongest heads by name. */

import { el, fill, keepingFocus, plainButton } from "../../base/dom.js";
import { labelled, t } from "../../base/i18n.js";
import { drawnView } from "../../base/mount.js";
import { rounded } from "../../base/numbers.js";
import { headName } from "../../wording/labels.js";
import { matrixMark } from "../../charts/matrix.js";
import { digitsFor, signed, signedList, strongest } from "./signed_shares.js";

/** @typedef {{layer: number, head: number}} HeadAt */

/**
 * @typedef {object} HeadSharesData
 * @property {string} title  accessible name
 * @property {number[][]} values  layers × heads
 * @property {number} layer  the chosen head
 * @property {number} head
 * @property {0 | 1} numbering
 * @property {object} palette  of the theme; redrawn when it changes
 */

/**
 * @typedef {object} HeadSharesOptions
 * @property {(head: HeadAt, origin: "pick" | "move") => void} onPick
 * @property {(heads: HeadAt[]) => void} [onTogether]  shows several heads side by side
 */

const LISTED = 6;

/**
 * @param {HTMLElement} element
 * @param {HeadSharesData} data
 * @param {HeadSharesOptions} options
 * @returns {import("../../base/mount.js").View<HeadSharesData>}
 */
export function headSharesView(element, data, { onPick, onTogether }) {
  const picture = el("div", {
    class: "shares-picture",
    onpointerover: ({ target }) => tell(headUnder(target)),
    onpointerleave: () => tell(shown),
  });
  const readout = el("p", { class: "shares-readout", "aria-hidden": "true" });
  const list = el("div", { class: "shares-list" });
  fill(element, el("div", { class: "shares-map" }, picture, readout), list);
  let shown = data;
  const mark = matrixMark(picture, drawing(data), {
    onPick: ({ row, column }) => onPick({ layer: row, head: column }, "move"),
    isFitted: false,
  });

  /** @param {EventTarget | null} target */
  function headUnder(target) {
    const cell = target instanceof Element ? target.closest(".mark-cell") : null;
    const index = cell ? [...picture.querySelectorAll(".mark-cell")].indexOf(cell) : -1;
    const heads = shown.values[0].length;
    return index < 0 ? shown : { layer: Math.floor(index / heads), head: index % heads };
  }

  /** @param {HeadAt} at */
  function tell({ layer, head }) {
    const { values, numbering } = shown;
    const value = signed(values[layer][head], digitsFor(values.flat()) + 1);
    fill(readout, labelled(headName(layer, head, numbering)), el("strong", {}, value));
  }

  return drawnView(
    element,
    data,
    (next) => {
      if (next !== shown) mark.update(drawing(next));
      shown = next;
      keepingFocus(list, () => fill(list, ...strongestHeads(next, { onPick, onTogether })));
      tell(next);
    },
    mark.destroy,
  );
}

/**
 * @param {HeadSharesData} data
 * @returns {import("../../charts/matrix.js").MatrixMark}
 */
function drawing({ title, values, layer, head, numbering }) {
  const digits = digitsFor(values.flat());
  const counted = (/** @type {unknown[]} */ list) => list.map((_, index) => String(index + numbering));
  return {
    title,
    digits,
    rows: counted(values),
    columns: counted(values[0]),
    scale: "signed",
    values: values.map((row) => row.map((value) => rounded(value, digits))),
    axes: `${t("layer ↓")} ${t("head →")}`,
    chosen: { row: layer, column: head },
  };
}

/**
 * @param {HeadSharesData} data
 * @param {HeadSharesOptions} options
 */
function strongestHeads({ values, layer, head, numbering }, { onPick, onTogether }) {
  const flat = values.flat();
  const first = strongest(flat, values[0].length, LISTED).map(({ row, column, value }) => {
    return { at: { layer: row, head: column }, value };
  });
  const items = first.map(({ at, value }) => ({
    name: [headName(at.layer, at.head, numbering)],
    value,
    isChosen: at.layer === layer && at.head === head,
    onPick: () => onPick(at, "pick"),
  }));
  const together = () => onTogether?.(first.map(({ at }) => at));
  return [
    el("h3", { class: "output-title" }, t("Strongest heads")),
    items.length === 0 && el("p", { class: "note" }, t("No head contributes.")),
    signedList(items, digitsFor(flat)),
    onTogether && items.length > 1 && plainButton(t("Draw these heads as lines"), together),
  ];
}
