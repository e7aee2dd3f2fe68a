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
/** @typedef {import("../../charts/heat_map/cells.js").Pointed} Pointed */
/** @typedef {{query: number, key: number}} Cell */
/** @typedef {{of: string, rows: Range, cols: Range, pointed: Pointed}} Sight */

/**
 * @typedef {object} Look
 * @property {string} id  of the set
 * @property {Cell | null} cell
 * @property {boolean} isSpread
 * @property {string} name
 * @property {import("../../base/decode.js").Thumbnails} thumbnails
 */

/**
 * @param {HTMLElement} element
 * @param {{onPick: (cell: Cell, origin: "pick" | "move") => void, schedule: () => void}} options
 */
export function createPattern(element, { onPick, schedule }) {
  const [map, legend] = [el("div", { class: "matrix" }), el("div", { class: "legend" })];
  const readout = el("p", { class: "prompts-cell", role: "status" });
  fill(element, axesLine(axesVerb("weights")), map, legend, readout);
  /** What is in view of which alignment, and pointed at. @type {Sight | null} */
  let sight = null;
  const masking = remembering(maskedInAll);
  const views = {
    map: mount(map, matrixView, {
      onPick: ({ query, key }, origin) => query !== null && key !== null && onPick({ query, key }, origin),
      onPoint(pointed) {
        if (sight) sight = { ...sight, pointed };
        views.map.patch(() => ({ pointed }));
      },
      onZoom(rows, cols) {
        if (sight) sight = { ...sight, rows, cols };
        schedule();
      },
    }),
    legend: mount(legend, legendView, {}),
  };

  return {
    /**
     * @param {import("../widgets/panel.js").Scene} scene
     * @param {PromptWeights | null} averaged
     * @param {Look} look
     */
    show({ palette, value }, averaged, { id, cell, isSpread, name, thumbnails }) {
      if (!averaged) return;
      const { numbering } = value;
      sight = sightOf(sight, `${id} ${averaged.part} ${averaged.align}`, averaged);
      const { isFaint, limits, note, ...values } = valuesOf(averaged, { isSpread, faint: value.faint });
      views.map({
        ...placeOf(averaged, numbering),
        ...values,
        limits,
        name,
        rows: sight.rows,
        cols: sight.cols,
        pointed: sight.pointed,
        query: cell?.query ?? null,
        key: cell?.key ?? null,
        chosenValue: null,
        isMasked: masking(averaged),
        thumbnails,
        sheet: null,
        paint: isFaint ? palette.weights.faint : palette.weights.plain,
      });
      views.legend({ scale: "weight", limits, faint: isFaint, hasMasked: false, note });
      readout.classList.toggle("readout-hint", !cell);
      say(readout, cell ? cellWords(averaged, cell, numbering) : t("Choose a cell to see it in every head."));
    },
    clear() {
      for (const show of Object.values(views)) show(null);
      say(readout, "");
      sight = null;
    },
  };
}

/**
 * The whole map, which starts anew with each alignment.
 * @param {Sight | null} before
 * @param {string} of
 * @param {Pick<PromptWeights, "positions" | "key_positions">} averaged
 * @returns {Sight}
 */
export function sightOf(before, of, { positions, key_positions: keys }) {
  if (before?.of === of) return before;
  return { of, rows: [0, positions.length], cols: [0, keys.length], pointed: { query: null, key: null } };
}

/**
 * The numbers that are drawn, and their colours.
 * @param {Pick<PromptWeights, "mean" | "deviation">} averaged
 * @param {{isSpread: boolean, faint: Parameters<typeof scaleFor>[0]}} how  `faint`: as the reader wants it
 */
export function valuesOf({ mean, deviation }, { isSpread, faint }) {
  const matrix = isSpread ? deviation : mean;
  const colours = isSpread
    ? { end: Math.max(...matrix.values, 1e-6), isFaint: true }
    : scaleFor(faint, matrixMaxima(matrix));
  return {
    stage: /** @type {"deviation" | "mean"} */ (isSpread ? "deviation" : "mean"),
    matrix,
    limits: /** @type {[number, number]} */ ([0, colours.end]),
    isFaint: colours.isFaint,
    note: isSpread || faint === "" ? scaleNote(colours) : "",
  };
}

/**
 * @param {PromptWeights} averaged
 * @param {0 | 1} numbering
 */
function placeOf({ positions, key_positions: keys, align, layer, head }, numbering) {
  return {
    queries: positionTokens(positions),
    keys: positionTokens(keys),
    // From the end, positions are negative.
    numbering: align === "end" ? 0 : numbering,
    layer,
    head,
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
