/** One token in all layers and heads: what each head makes it read, or who reads it. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { headName, tokenTitle } from "../../wording/labels.js";
import { fixed } from "../../base/numbers.js";
import { briefName, tokenName } from "../../wording/token_name.js";
import { differs } from "../../base/mount.js";

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
 * @returns {import("../../api/types.js").View<TokenData>}
 */
export function tokenView(element, data, { onPick, onDirection, onPoint }) {
  const title = el("p", { class: "token-title" });
  const choices = /** @type {Direction[]} */ (["reads", "read_by"]).map(choice);
  const group = el("fieldset", { class: "segmented" }, ...choices.map(({ label }) => label));
  group.prepend(el("legend", { class: "visually-hidden" }, t("Direction")));
  const grid = el("div", { class: "token-grid", role: "grid", "aria-label": t("Heads by layer") });
  const scroller = el("div", { class: "token-scroller" }, grid);
  const readout = el("p", { class: "token-readout", "aria-live": "polite" });
  const axes = el(
    "p",
    { class: "axes", "aria-hidden": "true" },
    el("span", {}, t("layer ↓")),
    " ",
    el("span", {}, t("head →")),
  );
  fill(element, el("div", { class: "stage-line" }, title, group), axes, scroller, readout, hint());

  let current = data;
  /** @type {HTMLButtonElement[]} */
  let cells = [];
  /** @type {Map<number, HTMLElement[]>} where each other token stands */
  let shares = new Map();
  /** @type {HeadAt | null} */
  let looked = null;

  grid.addEventListener("click", (event) => {
    const index = indexOf(event.target);
    if (index >= 0) onPick(headAt(index));
  });
  grid.addEventListener("keydown", onKey);
  grid.addEventListener("pointerover", (event) => look(indexOf(event.target)));
  grid.addEventListener("pointerleave", () => look(-1));
  grid.addEventListener("focusin", (event) => look(indexOf(event.target)));
  grid.addEventListener("focusout", () => look(-1));

  /** @param {Direction} direction */
  function choice(direction) {
    const input = el("input", { type: "radio", name: "token-direction", value: direction });
    input.addEventListener("change", () => onDirection(direction));
    const name = direction === "reads" ? t("what it reads") : t("who reads it");
    return { direction, input, label: el("label", {}, input, el("span", {}, name)) };
  }

  /** @param {EventTarget | null} target */
  function indexOf(target) {
    const cell = target instanceof Element ? target.closest("button") : null;
    return cell ? cells.indexOf(cell) : -1;
  }

  /** @param {number} index */
  function headAt(index) {
    return { layer: Math.floor(index / current.heads), head: index % current.heads };
  }

  /** @param {number} index */
  function look(index) {
    looked = index < 0 ? null : headAt(index);
    onPoint(looked && current.top ? (current.top.indices[looked.layer][looked.head][0] ?? null) : null);
    describe();
  }

  function build() {
    const { layers, heads, numbering, top } = current;
    const focused = indexOf(document.activeElement);
    shares = new Map();
    cells = Array.from({ length: layers * heads }, (_, index) => cell(headAt(index)));
    grid.style.setProperty("--heads", String(heads));
    const names = Array.from({ length: heads }, (_, head) =>
      el("span", { class: "grid-head", role: "columnheader" }, head + numbering),
    );
    const corner = el("span", { class: "grid-corner", role: "columnheader" }, t("layer"));
    fill(
      grid,
      el("div", { class: "grid-row", role: "row" }, corner, ...names),
      ...Array.from({ length: layers }, (_, layer) =>
        el(
          "div",
          { class: "grid-row", role: "row" },
          el("span", { class: "grid-layer", role: "rowheader" }, layer + numbering),
          ...cells.slice(layer * heads, (layer + 1) * heads),
        ),
      ),
    );
    scroller.setAttribute("aria-busy", String(top === null));
    if (focused >= 0) cells[focused]?.focus();
  }

  /** @param {HeadAt} at */
  function cell({ layer, head }) {
    const { top, others, numbering } = current;
    const first = top?.indices[layer][head].slice(0, 2) ?? [];
    const weights = top?.weights[layer][head] ?? [];
    const name = headName(layer, head, numbering);
    return el(
      "button",
      { type: "button", role: "gridcell", class: "token-cell", tabindex: -1 },
      el("span", { class: "visually-hidden" }, name),
      ...first.map((other, rank) => {
        const label = briefName(others[other], { class: `token-other${weights[rank] < CLEAR ? " is-faint" : ""}` });
        const title = tokenTitle(others[other], numbering);
        const share = el("span", { class: "token-share", "data-other": other, title }, label);
        share.style.setProperty("--share", String(Math.min(1, weights[rank])));
        shares.set(other, [...(shares.get(other) ?? []), share]);
        return share;
      }),
    );
  }

  function mark() {
    const { token, direction, layer, head, heads, numbering, other, pointed } = current;
    fill(
      title,
      tokenName(token, { class: direction === "reads" ? "is-query" : "is-key" }),
      el("span", { class: "token-index" }, token.index + numbering),
      " ",
      el(
        "span",
        { class: "note" },
        direction === "reads" ? t("reads, in each head:") : t("is read, in each head, by:"),
      ),
    );
    for (const { direction: one, input } of choices) input.checked = one === direction;
    cells.forEach((one, index) => {
      const isChosen = index === layer * heads + head;
      one.setAttribute("aria-selected", String(isChosen));
      one.tabIndex = isChosen ? 0 : -1;
    });
    for (const [index, found] of shares) for (const share of found) share.classList.toggle("is-other", index === other);
    markPointed(null, pointed);
    grid.classList.toggle("is-read-by", direction === "read_by");
    describe();
  }

  /**
   * @param {number | null} before
   * @param {number | null} now
   */
  function markPointed(before, now) {
    for (const share of shares.get(before ?? -1) ?? []) share.classList.remove("is-pointed");
    for (const share of shares.get(now ?? -1) ?? []) share.classList.add("is-pointed");
  }

  function describe() {
    const { top, others, numbering, direction } = current;
    const { layer, head } = looked ?? current;
    if (!top) return;
    const total = top.totals[layer][head];
    fill(
      readout,
      el("strong", {}, `${headName(layer, head, numbering)}: `),
      ...top.indices[layer][head].flatMap((other, rank) => [
        rank > 0 && " · ",
        tokenName(others[other], { class: direction === "reads" ? "is-key" : "is-query" }),
        el("span", { class: "token-index" }, others[other].index + numbering),
        ` ${fixed(top.weights[layer][head][rank], 2)}`,
      ]),
      direction === "read_by" &&
        el("span", { class: "note" }, ` (${t("{total} from all queries", { total: fixed(total, 2) })})`),
    );
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const index = indexOf(event.target);
    const { heads } = current;
    const column = index % heads;
    /** @type {Record<string, number>} */
    const moves = {
      ArrowRight: column < heads - 1 ? index + 1 : index,
      ArrowLeft: column > 0 ? index - 1 : index,
      ArrowDown: index + heads,
      ArrowUp: index - heads,
      Home: index - column,
      End: index - column + heads - 1,
    };
    if (index < 0 || !Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    const next = cells[moves[event.key]];
    if (!next) return;
    cells[index].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  build();
  mark();
  return {
    update(next) {
      const before = current;
      current = next;
      const needed = /** @type {const} */ (["top", "others", "layers", "heads", "numbering"]);
      markPointed(before.pointed, null);
      if (needed.some((name) => next[name] !== before[name])) build();
      if (differs({ ...before, pointed: null }, { ...next, pointed: null })) mark();
      else markPointed(null, next.pointed);
    },
    destroy() {
      element.replaceChildren();
    },
  };
}

function hint() {
  return el(
    "p",
    { class: "note" },
    t(
      "The two largest weights of each head; bars show how large. Pick a head to keep it, another token in the text above.",
    ),
  );
}
