/** One token in all layers and heads: what it attends to in each, or what attends to it. */

import { createHeadGrid } from "../../charts/head_grid.js";
import { segmented } from "../widgets/segmented.js";
import { el, fill } from "../../base/dom.js";
import { labelled, t } from "../../base/i18n.js";
import { headName, tokenTitle } from "../../wording/labels.js";
import { fixed } from "../../base/numbers.js";
import { apartName } from "../../wording/token_apart.js";
import { numberedName } from "../../wording/token_name.js";
import { changes, drawnView } from "../../base/mount.js";

/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {{layer: number, head: number}} HeadAt */
/** @typedef {"reads" | "read_by"} Direction */

/**
 * @typedef {object} TokenData
 * @property {Token} token
 * @property {Token[]} others  those that it reads, or that read it
 * @property {number | null} other  the one chosen
 * @property {number | null} pointed  another one pointed at
 * @property {Direction} direction
 * @property {import("../../api/types.js").TopTokens | null} top  null while it is fetched
 * @property {number} layers
 * @property {number} heads
 * @property {number} layer  of the chosen head
 * @property {number} head
 * @property {0 | 1} numbering
 */

/** Weights below this are set in a softer colour. */
const CLEAR = 0.2;

/**
 * @param {HTMLElement} element
 * @param {TokenData} data
 * @param {{onPick: (head: HeadAt) => void, onDirection: (direction: Direction) => void, onPoint: (other: number | null) => void}} options
 * @returns {import("../../base/mount.js").View<TokenData>}
 */
export function tokenView(element, data, { onPick, onDirection, onPoint }) {
  const title = el("p", { class: "token-title" });
  const directions = segmented({
    name: "token-direction",
    legend: t("Direction"),
    onPick: onDirection,
    choices: [
      [/** @type {Direction} */ ("reads"), t("what it attends to")],
      ["read_by", t("what attends to it")],
    ],
  });
  const table = el("div", { class: "token-grid", "aria-label": t("Heads by layer") });
  const scroller = el("div", { class: "token-scroller" }, table);
  const readout = el("p", { class: "token-readout", "aria-live": "polite" });
  const line = el("div", { class: "stage-line" }, title, directions.element);
  fill(element, line, axes(), scroller, readout, hint());

  /** @type {TokenData | null} */
  let current = null;
  /** @type {HeadAt | null} pointed at */
  let looked = null;
  const marks = createShareMarks(table);
  const grid = createHeadGrid(table, {
    onPick: (index) => onPick(headAt(index, (current ?? data).heads)),
    onPoint(index) {
      if (!current) return;
      looked = index === null ? null : headAt(index, current.heads);
      onPoint(looked && (listedIn(current.top, looked)[0]?.other ?? null));
      fill(readout, ...described(current, looked ?? current));
    },
  });

  /** @param {TokenData} next */
  function build(next) {
    const { layers, heads, numbering } = next;
    const counted = (/** @type {number} */ count) =>
      Array.from({ length: count }, (_, index) => String(index + numbering));
    const cells = Array.from({ length: layers * heads }, (_, index) => cellOf(next, headAt(index, heads)));
    grid.build({ corner: t("layer"), layers: counted(layers), heads: counted(heads) }, cells);
    marks.find();
    scroller.setAttribute("aria-busy", String(next.top === null));
  }

  return drawnView(element, data, (next) => {
    const before = current;
    const differs = changes(before, next);
    const { layer, head, direction } = next;
    current = next;
    if (differs("top", "others", "layers", "heads", "numbering")) build(next);
    marks.move("is-pointed", before?.pointed ?? null, next.pointed);
    marks.move("is-other", before?.other ?? null, next.other);
    if (before !== null && !differs("token", "top", "others", "direction", "layer", "head", "heads", "numbering"))
      return;
    fill(title, ...titleOf(next));
    directions.check(direction);
    grid.select(layer * next.heads + head);
    table.classList.toggle("is-read-by", direction === "read_by");
    fill(readout, ...described(next, looked ?? next));
  });
}

/** The marks on the other tokens, wherever they stand in the grid. @param {HTMLElement} table */
function createShareMarks(table) {
  /** @type {Map<number, HTMLElement[]>} */
  let shares = new Map();
  return {
    /** The cells are others than before. */
    find() {
      shares = new Map();
      for (const share of /** @type {NodeListOf<HTMLElement>} */ (table.querySelectorAll(".token-share"))) {
        const other = Number(share.dataset.other);
        shares.set(other, [...(shares.get(other) ?? []), share]);
      }
    },
    /**
     * @param {string} kind
     * @param {number | null} before
     * @param {number | null} now
     */
    move(kind, before, now) {
      for (const share of shares.get(before ?? -1) ?? []) share.classList.remove(kind);
      for (const share of shares.get(now ?? -1) ?? []) share.classList.add(kind);
    },
  };
}

/**
 * @param {number} index  of a cell of the grid
 * @param {number} heads  of a layer
 * @returns {HeadAt}
 */
function headAt(index, heads) {
  return { layer: Math.floor(index / heads), head: index % heads };
}

/**
 * @param {TokenData} data
 * @param {HeadAt} at
 */
function cellOf({ top, others, numbering }, at) {
  const name = el("span", { class: "visually-hidden" }, headName(at.layer, at.head, numbering));
  const shares = sharesOf(top, others, at, numbering);
  return el("button", { type: "button", role: "gridcell", class: "token-cell", tabindex: -1 }, name, ...shares);
}

/**
 * What stands in the cell of a head: the tokens of its two largest weights.
 * @param {TokenData["top"]} top
 * @param {Token[]} others
 * @param {HeadAt} at
 * @param {0 | 1} numbering
 */
function sharesOf(top, others, { layer, head }, numbering) {
  const first = listedIn(top, { layer, head }).slice(0, 2);
  return first.map(({ other, weight }) => {
    const kind = `token-other${weight < CLEAR ? " is-faint" : ""}`;
    const label = apartName(others, others[other], numbering, { class: kind });
    const title = tokenTitle(others[other], numbering);
    const share = el("span", { class: "token-share", "data-other": other, title }, label);
    share.style.setProperty("--share", String(Math.min(1, weight)));
    return share;
  });
}

/**
 * What is listed for one head; −1 stands where there are no more, since the mask forbids them.
 * @param {TokenData["top"]} top
 * @param {HeadAt} at
 * @returns {{other: number, weight: number}[]}
 */
export function listedIn(top, { layer, head }) {
  const weights = top?.weights[layer][head] ?? [];
  const listed = (top?.indices[layer][head] ?? []).map((other, rank) => ({ other, weight: weights[rank] }));
  return listed.filter(({ other }) => other >= 0);
}

/** @param {TokenData} data */
function titleOf({ token, direction, numbering }) {
  const isReader = direction === "reads";
  return [
    ...numberedName(token, numbering, { class: isReader ? "is-query" : "is-key" }),
    " ",
    el("span", { class: "note" }, isReader ? t("attends to, in each head:") : t("is attended to, in each head, by:")),
  ];
}

/**
 * The weights of one head in words.
 * @param {TokenData} data
 * @param {HeadAt} at
 */
function described({ top, others, numbering, direction }, { layer, head }) {
  if (!top) return [];
  const total = fixed(top.totals[layer][head], 2);
  return [
    el("strong", {}, labelled(headName(layer, head, numbering))),
    ...listedIn(top, { layer, head }).flatMap(({ other, weight }, rank) => [
      rank > 0 && " · ",
      ...numberedName(others[other], numbering, { class: direction === "reads" ? "is-key" : "is-query" }),
      ` ${fixed(weight, 2)}`,
    ]),
    direction === "read_by" && el("span", { class: "note" }, ` (${t("{total} from all queries", { total })})`),
  ];
}

function axes() {
  const names = [el("span", {}, t("layer ↓")), " ", el("span", {}, t("head →"))];
  return el("p", { class: "axes", "aria-hidden": "true" }, ...names);
}

function hint() {
  return el(
    "p",
    { class: "note" },
    t(
      "The two largest weights of each head, with bars for their size. Click a head to select it; choose another token in the text above.",
    ),
  );
}
