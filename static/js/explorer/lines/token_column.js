/** One column of tokens beside the lines; only rows in view are in the DOM. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { moveInList } from "../../base/key_moves.js";
import { tokenTitle } from "../../wording/labels.js";
import { fixed } from "../../base/numbers.js";
import { briefName } from "../../wording/token_name.js";
import { differs } from "../../base/mount.js";
import { createRowScroll } from "./row_window.js";

/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} ColumnData
 * @property {Token[]} tokens
 * @property {0 | 1} numbering
 * @property {number | null} locked  place
 * @property {number | null} pointed  place
 * @property {Float32Array | null} shares  weights to or from the token followed, to be written beside each
 */

/**
 * @typedef {object} ColumnOptions
 * @property {"query" | "key"} side
 * @property {(place: number | null) => void} onPoint
 * @property {(place: number | null) => void} onLock
 * @property {() => void} onScroll
 */

/** @typedef {{row: HTMLElement, share: HTMLElement, place: number}} Option */

const OVERSCAN = 4;
/** Weights below this are not written. */
const SEEN = 0.005;

/**
 * @param {HTMLElement} element
 * @param {ColumnData} data
 * @param {ColumnOptions} options
 */
export function tokenColumnView(element, data, { side, onPoint, onLock, onScroll }) {
  const rows = createRows(side);
  const list = listOf(side, rows.element);
  fill(element, list);
  let current = data;
  let active = 0;
  const scroll = createRowScroll(list);
  const range = () => scroll.range(current.tokens.length);

  list.addEventListener("scroll", () => {
    draw();
    onScroll();
  });
  bindInput(list, {
    place: () => ({ active, count: current.tokens.length, inView: scroll.fitting() }),
    onPoint,
    onMove(place) {
      active = place;
      scroll.show(active);
      draw();
      onPoint(active);
    },
    onToggle(place) {
      active = place;
      onLock(place === current.locked ? null : place);
    },
    onFree: () => onLock(null),
  });

  function draw() {
    const row = scroll.row();
    if (row === null) return; // every token would be in view
    rows.draw(current, range(), row);
    list.setAttribute("aria-activedescendant", `lines-${side}-${active}`);
  }

  return {
    ...scroll,
    range,
    /** @param {{row: number, height: number}} next  in pixels */
    resize(next) {
      if (scroll.resize(next)) draw();
    },
    /** The same tokens with other marks. @param {ColumnData} next */
    mark(next) {
      current = next;
      rows.mark(next);
    },
    /** @param {ColumnData} next */
    update(next) {
      current = next;
      active = Math.min(active, next.tokens.length - 1);
      draw();
    },
  };
}

/** @param {"query" | "key"} side @param {HTMLElement} rows */
function listOf(side, rows) {
  const name = side === "query" ? t("Queries: tokens that attend") : t("Keys: tokens attended to");
  return el(
    "div",
    { class: "lines-list", role: "listbox", tabindex: 0, "aria-label": name, "aria-describedby": "lines-keys" },
    rows,
  );
}

/**
 * @param {HTMLElement} list
 * @param {object} column
 * @param {() => {active: number, count: number, inView: number}} column.place  where the keyboard is
 * @param {ColumnOptions["onPoint"]} column.onPoint
 * @param {(place: number) => void} column.onMove
 * @param {(place: number) => void} column.onToggle
 * @param {() => void} column.onFree
 */
function bindInput(list, { place, onPoint, onMove, onToggle, onFree }) {
  list.addEventListener("pointerover", ({ target }) => onPoint(placeOf(target)));
  list.addEventListener("pointerleave", () => onPoint(null));
  list.addEventListener("focus", () => onPoint(place().active));
  list.addEventListener("blur", () => onPoint(null));
  list.addEventListener("click", ({ target }) => {
    const clicked = placeOf(target);
    if (clicked !== null) onToggle(clicked);
  });
  list.addEventListener("keydown", (event) => {
    const { active, count, inView } = place();
    const page = Math.max(1, inView - 1);
    const next = moveInList(event.key, active, count, { page });
    if (event.key === "Enter" || event.key === " ") onToggle(active);
    else if (event.key === "Escape") onFree();
    else if (next !== null) onMove(next);
    else return;
    event.preventDefault();
  });
}

/**
 * The tokens in view and some around them, as options.
 * @param {"query" | "key"} side
 */
function createRows(side) {
  /** As high as all of them. */
  const spacer = el("div", { class: "lines-spacer", role: "presentation" });
  /**
   * What stands on the page.
   * @type {Pick<ColumnData, "tokens" | "numbering"> & {from: number, to: number, height: number} | null}
   */
  let drawn = null;
  /** @type {Option[]} */
  let options = [];
  const markAll = (/** @type {ColumnData} */ data) => options.forEach((option) => mark(option, data));
  return {
    element: spacer,
    /**
     * @param {ColumnData} data
     * @param {import("../../base/decode.js").Range} view
     * @param {number} height  of a row
     */
    draw(data, [first, end], height) {
      const { tokens, numbering } = data;
      const [from, to] = [Math.max(0, first - OVERSCAN), Math.min(tokens.length, end + OVERSCAN)];
      const wanted = { tokens, numbering, from, to, height };
      if (!drawn || differs(drawn, wanted)) {
        options = Array.from({ length: to - from }, (_, index) => option(side, tokens, from + index, numbering));
        for (const { row, place } of options) {
          row.style.top = `${place * height}px`;
          row.style.height = `${height}px`;
        }
        fill(spacer, ...options.map(({ row }) => row));
      }
      drawn = wanted;
      spacer.style.height = `${tokens.length * height}px`;
      markAll(data);
    },
    mark: markAll,
  };
}

/** @param {EventTarget | null} target */
function placeOf(target) {
  const option = target instanceof Element ? target.closest("[data-place]") : null;
  return option ? Number(option.getAttribute("data-place")) : null;
}

/**
 * @param {"query" | "key"} side
 * @param {Token[]} tokens
 * @param {number} place
 * @param {0 | 1} numbering
 * @returns {Option}
 */
function option(side, tokens, place, numbering) {
  const token = tokens[place];
  const share = el("span", { class: "lines-share", hidden: true });
  const row = el(
    "div",
    {
      class: `lines-token${token.special ? " is-special" : ""}`,
      role: "option",
      id: `lines-${side}-${place}`,
      "data-place": place,
      "aria-setsize": tokens.length,
      "aria-posinset": place + 1,
      title: tokenTitle(token, numbering),
    },
    briefName(token, { class: "lines-label" }),
    el("span", { class: "token-index" }, token.index + numbering),
    share,
  );
  return { row, share, place };
}

/**
 * What changes while one points: the token is kept, and says so.
 * @param {Option} option
 * @param {ColumnData} data
 */
function mark({ row, share, place }, { locked, pointed, shares }) {
  const weight = shares?.[place] ?? 0;
  const isSeen = weight >= SEEN;
  row.classList.toggle("is-pointed", place === pointed);
  row.setAttribute("aria-selected", String(place === locked));
  row.style.setProperty("--share", String(isSeen ? Math.min(1, weight) : 0));
  share.hidden = shares === null;
  share.textContent = isSeen ? fixed(weight, 2) : "";
}
