/** One column of tokens beside the lines, however long: only what is in view is on the page. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { tokenTitle } from "../../wording/labels.js";
import { fixed } from "../../base/numbers.js";
import { briefName } from "../../wording/token_name.js";
import { differs } from "../../base/mount.js";

/** @typedef {import("../../api/types.js").Range} Range */
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

/** Pixels from one token to the next. */
export const ROW = 28;
const OVERSCAN = 4;
/** Weights below this are not written. */
const SEEN = 0.005;

/**
 * @param {HTMLElement} element
 * @param {ColumnData} data
 * @param {ColumnOptions} options
 */
export function tokenColumnView(element, data, { side, onPoint, onLock, onScroll }) {
  const name = side === "query" ? t("Queries: tokens that read") : t("Keys: tokens that are read");
  const spacer = el("div", { class: "lines-spacer", role: "presentation" });
  const list = el(
    "div",
    { class: "lines-list", role: "listbox", tabindex: 0, "aria-label": name, "aria-describedby": "lines-keys" },
    spacer,
  );
  fill(element, list);
  let current = data;
  let active = 0;
  /** In pixels; until it is known nothing is drawn, because every token would be in view. */
  let height = 0;
  /** What stands on the page. @type {Pick<ColumnData, "tokens" | "numbering"> & {from: number, to: number} | null} */
  let drawn = null;
  /** @type {{row: HTMLElement, share: HTMLElement, place: number}[]} */
  let options = [];

  list.addEventListener("scroll", () => {
    draw();
    onScroll();
  });
  list.addEventListener("pointerover", (event) => onPoint(placeOf(event.target)));
  list.addEventListener("pointerleave", () => onPoint(null));
  list.addEventListener("focus", () => onPoint(active));
  list.addEventListener("blur", () => onPoint(null));
  list.addEventListener("keydown", onKey);
  list.addEventListener("click", (event) => {
    const place = placeOf(event.target);
    if (place === null) return;
    active = place;
    onLock(place === current.locked ? null : place);
  });

  /** @param {EventTarget | null} target */
  function placeOf(target) {
    const option = target instanceof Element ? target.closest("[data-place]") : null;
    return option ? Number(option.getAttribute("data-place")) : null;
  }

  /** @returns {Range} */
  function range() {
    const first = Math.floor(list.scrollTop / ROW);
    const end = Math.ceil((list.scrollTop + list.clientHeight) / ROW);
    return [Math.max(0, first), Math.min(current.tokens.length, Math.max(end, first + 1))];
  }

  function draw() {
    if (height === 0) return;
    const { tokens, numbering } = current;
    spacer.style.height = `${tokens.length * ROW}px`;
    const [first, end] = range();
    const from = Math.max(0, first - OVERSCAN);
    const to = Math.min(tokens.length, end + OVERSCAN);
    const wanted = { tokens, numbering, from, to };
    if (!drawn || differs(drawn, wanted)) {
      drawn = wanted;
      options = tokens.slice(from, to).map((token, index) => option(token, from + index));
      fill(spacer, ...options.map(({ row }) => row));
    }
    options.forEach(markOne);
    list.setAttribute("aria-activedescendant", `lines-${side}-${active}`);
  }

  /**
   * @param {Token} token
   * @param {number} place
   */
  function option(token, place) {
    const { numbering, tokens } = current;
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
    row.style.top = `${place * ROW}px`;
    row.style.height = `${ROW}px`;
    return { row, share, place };
  }

  /**
   * What changes while one points: the token is kept, and says so.
   * @param {typeof options[number]} option
   */
  function markOne({ row, share, place }) {
    const { locked, pointed, shares } = current;
    const weight = shares?.[place] ?? 0;
    const isSeen = weight >= SEEN;
    row.classList.toggle("is-pointed", place === pointed);
    row.setAttribute("aria-selected", String(place === locked));
    row.style.setProperty("--share", String(isSeen ? Math.min(1, weight) : 0));
    share.hidden = shares === null;
    share.textContent = isSeen ? fixed(weight, 2) : "";
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const page = Math.max(1, Math.floor(list.clientHeight / ROW) - 1);
    /** @type {Record<string, number>} */
    const moves = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: current.tokens.length - 1,
    };
    if (event.key === "Enter" || event.key === " ") onLock(active === current.locked ? null : active);
    else if (event.key === "Escape") onLock(null);
    else if (Object.hasOwn(moves, event.key)) {
      active = Math.min(Math.max(moves[event.key], 0), current.tokens.length - 1);
      show(active);
      draw();
      onPoint(active);
    } else return;
    event.preventDefault();
  }

  /** @param {number} place */
  function show(place) {
    const [first, end] = [Math.ceil(list.scrollTop / ROW), Math.floor((list.scrollTop + list.clientHeight) / ROW)];
    if (place < first) list.scrollTop = place * ROW;
    else if (place >= end) list.scrollTop = (place + 1) * ROW - list.clientHeight;
  }

  return {
    range,
    /** @param {number} place */
    show,
    /** A token out of sight comes to the middle. @param {number} place */
    reveal(place) {
      const [top, bottom] = [place * ROW, (place + 1) * ROW];
      const { scrollTop, clientHeight } = list;
      if (top < scrollTop || bottom > scrollTop + clientHeight) list.scrollTop = top - (clientHeight - ROW) / 2;
    },
    /** Pixels from the column's top to a token's middle. @param {number} place */
    middle: (place) => (place + 0.5) * ROW - list.scrollTop,
    scrollTop: () => list.scrollTop,
    /** @param {number} pixels */
    scrollTo(pixels) {
      if (list.scrollTop !== pixels) list.scrollTop = pixels;
    },
    /** @param {number} pixels */
    resize(pixels) {
      if (pixels === height) return;
      height = pixels;
      list.style.height = `${pixels}px`;
      draw();
    },
    /** The same tokens with other marks. @param {ColumnData} next */
    mark(next) {
      current = next;
      options.forEach(markOne);
    },
    /** @param {ColumnData} next */
    update(next) {
      current = next;
      active = Math.min(active, next.tokens.length - 1);
      draw();
    },
    destroy() {
      element.replaceChildren();
    },
  };
}
