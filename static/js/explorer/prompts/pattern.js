/** One head's weights averaged over the prompts, as a heat map with its scale. */

import { el, fill, say } from "../../base/dom.js";
import { labelled, t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { matrixMaxima, scaleFor, scaleNote } from "../../charts/heat_map/auto_scale.js";
import { legendView } from "../../charts/heat_map/legend.js";
import { matrixView } from "../../charts/heat_map/heat_map.js";
import { valueAt } from "../../charts/heat_map/cells.js";
import { remembering } from "../../base/memoise.js";
import { mount } from "../../base/mount.js";
import { axesVerb } from "../../wording/stage_words.js";
import { axesLine } from "../widgets/axes_line.js";
import { cellNames, positionTokens } from "./positions.js";

/** @typedef {import("../../api/prompts.js").PromptWeights} PromptWeights */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {{query: number, key: number}} Cell */

/**
 * @param {HTMLElement} element
 * @param {{onPick: (cell: Cell, origin: "pick" | "move") => void, schedule: () => void}} options
 */
export function createPattern(element, { onPick, schedule }) {
  const [map, legend] = [el("div", { class: "matrix" }), el("div", { class: "legend" })];
  const readout = el("p", { class: "prompts-cell", role: "status" });
  fill(element, axesLine(axesVerb("weights")), map, legend, readout);
  /** The window, which starts anew with each alignment. @type {{of: string, rows: Range, cols: Range} | null} */
  let window = null;
  /** @type {import("../../charts/heat_map/cells.js").Pointed} */
  let pointed = { query: null, key: null };
  const masking = remembering(maskedInAll);
  const views = {
    map: mount(map, matrixView, {
      onPick: ({ query, key }, origin) => query !== null && key !== null && onPick({ query, key }, origin),
      onPoint(place) {
        pointed = place;
        views.map.patch(() => ({ pointed }));
      },
      onZoom(rows, cols) {
        if (window) window = { ...window, rows, cols };
        schedule();
      },
    }),
    legend: mount(legend, legendView, {}),
  };

  return {
    /**
     * @param {import("../widgets/panel.js").Scene} scene
     * @param {PromptWeights | null} averaged
     * @param {{id: string, cell: Cell | null, isSpread: boolean, name: string, thumbnails: import("../../base/decode.js").Thumbnails}} look
     */
    show({ palette, value }, averaged, { id, cell, isSpread, name, thumbnails }) {
      if (!averaged) return;
      const [queries, keys] = [positionTokens(averaged.positions), positionTokens(averaged.key_positions)];
      const of = `${id} ${averaged.part} ${averaged.align}`;
      if (window?.of !== of)
        [window, pointed] = [
          { of, rows: [0, queries.length], cols: [0, keys.length] },
          { query: null, key: null },
        ];
      const matrix = isSpread ? averaged.deviation : averaged.mean;
      const colours = isSpread
        ? { end: Math.max(...matrix.values, 1e-6), isFaint: true }
        : scaleFor(value.faint, matrixMaxima(matrix));
      const limits = /** @type {[number, number]} */ ([0, colours.end]);
      const faint = colours.isFaint;
      views.map({
        ...{
          queries,
          keys,
          stage: isSpread ? "deviation" : "mean",
          name,
          rows: window.rows,
          cols: window.cols,
        },
        query: cell?.query ?? null,
        key: cell?.key ?? null,
        pointed,
        chosenValue: null,
        matrix,
        limits,
        isMasked: masking(averaged),
        numbering: averaged.align === "end" ? 0 : value.numbering,
        layer: averaged.layer,
        head: averaged.head,
        thumbnails,
        sheet: null,
        paint: faint ? palette.weights.faint : palette.weights.plain,
      });
      const note = isSpread || value.faint === "" ? scaleNote(colours) : "";
      views.legend({ scale: "weight", limits, faint, hasMasked: false, note });
      readout.classList.toggle("readout-hint", !cell);
      say(readout, cell ? cellWords(averaged, cell, value.numbering) : t("Choose a cell to see it in every head."));
    },
    clear() {
      for (const show of Object.values(views)) show(null);
      say(readout, "");
      window = null;
    },
  };
}

/**
 * @param {PromptWeights} averaged
 * @param {Cell} cell
 * @param {0 | 1} numbering
 */
export function cellWords(averaged, cell, numbering) {
  const { query, key } = cell;
  const valueIn = (/** @type {import("../../base/decode.js").Matrix} */ matrix) => valueAt(matrix, query, key) ?? 0;
  const said = {
    mean: fixed(valueIn(averaged.mean), 3),
    deviation: fixed(valueIn(averaged.deviation), 3),
    count: valueIn(averaged.counts),
  };
  const names = cellNames(averaged, cell, numbering);
  if (maskedInAll(averaged)([query, query + 1], [key, key + 1])) {
    return labelled(`${names.query} → ${names.key}`, t("masked in all prompts"));
  }
  return labelled(`${names.query} → ${names.key}`, t("{mean} ± {deviation} in {count} prompts", said));
}

/**
 * Whether the masks of all prompts forbid some cells that prompts have.
 * @param {Pick<PromptWeights, "counts" | "allowed">} found
 * @returns {import("../../charts/heat_map/cell_text.js").IsMasked}
 */
export function maskedInAll({ counts, allowed }) {
  const any = (
    /** @type {import("../../base/decode.js").Matrix} */ { values, width },
    /** @type {Range} */ rows,
    /** @type {Range} */ cols,
  ) => {
    for (let row = rows[0]; row < rows[1]; row++)
      if (values.subarray(row * width + cols[0], row * width + cols[1]).some((count) => count > 0)) return true;
    return false;
  };
  return (rows, cols) => any(counts, rows, cols) && !any(allowed, rows, cols);
}
