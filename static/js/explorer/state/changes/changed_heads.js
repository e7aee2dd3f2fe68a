/** Heads switched off or otherwise changed in the shown run, and their marks. */

import { t } from "../../../base/i18n.js";
import { changesOf } from "./change_summary.js";

/** @typedef {import("../../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../../api/types.js").Part} Part */
/** @typedef {"off" | "changed"} HeadMark */
/** @typedef {{layer: number, head: number}} HeadAt */
/** @typedef {Map<string, HeadMark>} ChangedHeads  by "layer.head"; heads as they are have none */

/** Signs beside colours, so that who sees none of these sees the mark. */
export const MARK_SIGNS = /** @type {const} */ ({ off: "✕", changed: "≠" });

/**
 * @param {Pick<Analysis, "interventions" | "parts">} analysis  as it was computed
 * @param {Part} part
 * @returns {ChangedHeads}
 */
export function changedHeads({ interventions, parts }, part) {
  /** @type {ChangedHeads} */
  const marks = new Map();
  const isFirst = part.name === parts[0]?.name;
  for (const { kind, part: name, layer, head } of interventions.flatMap(changesOf)) {
    if (name === "" ? !isFirst : name !== part.name) continue;
    const mark = kind === "off" || kind === "mean" ? "off" : "changed";
    for (const one of spread(layer, part.layers)) {
      for (const other of spread(head, part.heads)) {
        const key = `${one}.${other}`;
        if (marks.get(key) !== "off") marks.set(key, mark);
      }
    }
  }
  return marks;
}

/**
 * @param {ChangedHeads} marks
 * @param {HeadAt} at
 * @returns {HeadMark | null}
 */
export function markOf(marks, { layer, head }) {
  return marks.get(`${layer}.${head}`) ?? null;
}

/**
 * @param {HeadMark} mark
 * @returns {string}
 */
export function markName(mark) {
  return { off: t("switched off"), changed: t("changed") }[mark];
}

/**
 * What is said of a set of heads; "" of heads as they are.
 * @param {ChangedHeads} marks
 * @param {HeadAt[]} heads
 * @returns {string}
 */
export function marksNote(marks, heads) {
  const kinds = heads.map((head) => markOf(marks, head)).filter((mark) => mark !== null);
  if (heads.length === 1) return kinds.length === 1 ? `${MARK_SIGNS[kinds[0]]} ${markName(kinds[0])}` : "";
  const said = /** @type {HeadMark[]} */ (["off", "changed"]).flatMap((mark) => {
    const count = kinds.filter((kind) => kind === mark).length;
    return count > 0 ? [`${MARK_SIGNS[mark]} ${t("{count}: {what}", { count, what: markName(mark) })}`] : [];
  });
  return said.join(" · ");
}

/**
 * @param {number | null} index  null for all
 * @param {number} count
 */
function spread(index, count) {
  return index === null ? Array.from({ length: count }, (_, index) => index) : [index];
}
