/** Lists of heads: chosen ones in the URL, and those that a filter lets through, in order. */

import { t } from "../../base/i18n.js";
import { headName } from "../../wording/labels.js";

/** @typedef {{layer: number, head: number}} HeadAt */
/** @typedef {import("../../api/types.js").Metrics} Metrics */
/** @typedef {Record<string, [number, number]>} Limits  least and most by metric */

/** As many heads as can be told apart in one picture. */
export const MOST_HEADS = 24;

/**
 * "5.11_3.1" as heads, those that the part does not have left out.
 * @param {string} text
 * @param {{layers: number, heads: number}} part
 * @returns {HeadAt[]}
 */
export function parseHeads(text, part) {
  const heads = text.split("_").flatMap((name) => {
    const found = /^(\d{1,3})\.(\d{1,3})$/.exec(name);
    return found ? [{ layer: Number(found[1]), head: Number(found[2]) }] : [];
  });
  const known = heads.filter(({ layer, head }) => layer < part.layers && head < part.heads);
  return known.filter((head, index) => indexOfHead(known, head) === index).slice(0, MOST_HEADS);
}

/**
 * The chosen head and those chosen beside it.
 * @param {Pick<import("./view_state.js").ViewState, "layer" | "head" | "heads">} value
 * @param {{layers: number, heads: number}} part
 * @returns {HeadAt[]}
 */
export function headsDrawn({ layer, head, heads }, part) {
  const chosen = { layer, head };
  return [chosen, ...parseHeads(heads, part).filter((other) => other.layer !== layer || other.head !== head)];
}

/**
 * The heads that the main panel shows as one: the chosen one, or those whose mean it is.
 * @param {import("./view_state.js").ViewState} value
 * @param {{layers: number, heads: number}} part
 * @returns {HeadAt[]}
 */
export function headsShown(value, part) {
  const { view, stage, mean } = value;
  const heads = headsDrawn(value, part);
  const isMean = mean && (view === "lines" || (view === "matrix" && stage === "weights"));
  return isMean ? heads : heads.slice(0, 1);
}

/**
 * What the main panel shows: a head, or the mean of those chosen.
 * @param {import("./view_state.js").ViewState} value
 * @param {{layers: number, heads: number}} part
 * @returns {string}
 */
export function shownName(value, part) {
  const { layer, head, numbering } = value;
  const count = headsShown(value, part).length;
  return count > 1 ? t("Mean of {count} heads", { count }) : headName(layer, head, numbering);
}

/**
 * @param {HeadAt[]} heads
 * @returns {string}
 */
export function formatHeads(heads) {
  return heads.map(({ layer, head }) => `${layer}.${head}`).join("_");
}

/**
 * @param {HeadAt[]} heads
 * @param {HeadAt} wanted
 * @returns {number}  −1 where it is not among them
 */
export function indexOfHead(heads, wanted) {
  return heads.findIndex(({ layer, head }) => layer === wanted.layer && head === wanted.head);
}

/**
 * A head goes in, or out if it is there.
 * @param {HeadAt[]} heads
 * @param {HeadAt} head
 * @returns {HeadAt[]}
 */
export function toggleHead(heads, head) {
  const index = indexOfHead(heads, head);
  return index < 0 ? [...heads, head].slice(-MOST_HEADS) : heads.filter((_, other) => other !== index);
}

/**
 * The same on the URL's form.
 * @param {string} text
 * @param {HeadAt} head
 * @returns {string}
 */
export function toggled(text, head) {
  return formatHeads(toggleHead(parseHeads(text, { layers: Infinity, heads: Infinity }), head));
}

/**
 * "entropy~0.5~2__same_token~~0.1" as limits; an end left out is open.
 * @param {string} text
 * @returns {Limits}
 */
export function parseLimits(text) {
  /** @type {Limits} */
  const limits = {};
  for (const limit of text.split("__")) {
    const found = /^(\w+)~(-?[\d.]*)~(-?[\d.]*)$/.exec(limit);
    if (!found) continue;
    const [, name, least, most] = found;
    limits[name] = [least === "" ? -Infinity : Number(least), most === "" ? Infinity : Number(most)];
  }
  return limits;
}

/**
 * @param {Limits} limits
 * @returns {string}
 */
export function formatLimits(limits) {
  const end = (/** @type {number} */ value) => (Number.isFinite(value) ? String(Number(value.toFixed(4))) : "");
  return Object.entries(limits)
    .filter(([, ends]) => ends.some(Number.isFinite))
    .map(([name, [least, most]]) => `${name}~${end(least)}~${end(most)}`)
    .join("__");
}

/**
 * The heads to list.
 * @param {object} wanted
 * @param {Metrics} wanted.metrics
 * @param {number} wanted.layers
 * @param {number} wanted.heads
 * @param {string} wanted.order  a metric, with "-" in front for largest first; "" as the model has them
 * @param {string} wanted.find  "5", "5.1" or "L5 H1" for what a head's number begins with, or part of its name
 * @param {Limits} wanted.limits
 * @param {0 | 1} wanted.numbering
 * @returns {HeadAt[]}
 */
export function listHeads({ metrics, layers, heads, order, find, limits, numbering }) {
  // "L5 H11", which the page writes, is 5.11.
  const words = find
    .trim()
    .toLowerCase()
    .replace(/^l(\d+)(?:\s*h(\d*))?$/, (_, layer, head) => (head === undefined ? layer : `${layer}.${head}`));
  const bounds = Object.entries(limits).filter(([name]) => name in metrics);
  const places = Array.from({ length: layers * heads }, (_, index) => ({
    layer: Math.floor(index / heads),
    head: index % heads,
  }));
  const kept = places.filter(({ layer, head }) => {
    const number = `${layer + numbering}.${head + numbering}`;
    const isFound =
      words === "" ||
      (/^\d+$/.test(words) ? number.startsWith(`${words}.`) : number.startsWith(words)) ||
      (!/^[\d.]+$/.test(words) && headName(layer, head, numbering).toLowerCase().includes(words));
    const isWithin = bounds.every(([name, [least, most]]) => {
      const value = metrics[name][layer][head];
      return value >= least && value <= most;
    });
    return isFound && isWithin;
  });
  const values = metrics[order.replace(/^-/, "")];
  if (order === "-") return kept.reverse();
  if (!values) return kept;
  const sign = order.startsWith("-") ? -1 : 1;
  return kept.sort((a, b) => sign * (values[a.layer][a.head] - values[b.layer][b.head]));
}

/**
 * The heads that the filter lets through, as "layer.head".
 * @param {{metrics: Metrics, layers: number, heads: number}} part
 * @param {Pick<import("./view_state.js").ViewState, "find" | "limits" | "numbering">} value
 * @returns {Set<string> | null}  null where nothing is filtered
 */
export function keptHeads({ metrics, layers, heads }, { find, limits, numbering }) {
  if (find.trim() === "" && limits === "") return null;
  const kept = listHeads({ metrics, layers, heads, order: "", find, limits: parseLimits(limits), numbering });
  return new Set(kept.map(({ layer, head }) => `${layer}.${head}`));
}
