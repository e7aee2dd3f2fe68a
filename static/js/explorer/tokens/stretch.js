/** The tokens of a long text that stand in the strip, as chips: a stretch that moves along with scrolling. */

import { el, fill } from "../../base/dom.js";
import { tokenTitle } from "../../wording/labels.js";
import { tokenOfLine } from "../../wording/token_line.js";
import { firstStretch, nextStretch, stretchTo, wayNearEnd } from "./strip_window.js";

/** @typedef {import("../../api/types.js").Token} Token */

/**
 * The chips of the tokens in a stretch, and the stretch that moves along with scrolling.
 * @param {HTMLElement} strip
 * @param {HTMLElement[]} frames  that stand over the chips
 * @param {() => void} onPut  the chips are others
 */
export function createStretch(strip, frames, onPut) {
  /** @type {Token[]} */
  let tokens = [];
  /** @type {0 | 1} */
  let numbering = 0;
  let range = firstStretch(0);
  /** @type {HTMLElement[]} */
  let chips = [];
  const chipAt = (/** @type {number} */ index) => chips[index - range[0]];

  function put() {
    const isPart = range[1] - range[0] < tokens.length;
    const count = isPart ? tokens.length : null;
    chips = tokens.slice(...range).map((_, place) => chipOf(tokens, range[0] + place, numbering, count));
    strip.classList.toggle("is-stretch", isPart);
    fill(strip, ...chips, ...frames);
    onPut();
  }

  /** What was on screen stays where it was. @param {1 | -1} way */
  function shift(way) {
    const next = nextStretch(range, way, tokens.length);
    const kept = way === 1 ? next[0] : range[0];
    const [left, top] = [chipAt(kept).offsetLeft - strip.scrollLeft, chipAt(kept).offsetTop - strip.scrollTop];
    const focused = indexOf(document.activeElement);
    range = next;
    put();
    strip.scrollTo(chipAt(kept).offsetLeft - left, chipAt(kept).offsetTop - top);
    if (focused !== null) chipAt(focused)?.focus({ preventScroll: true });
  }

  return {
    chipAt,
    first: () => range[0],
    /** Every chip with its token's index. @returns {[number, HTMLElement][]} */
    chips: () => chips.map((chip, place) => [range[0] + place, chip]),
    /**
     * @param {Pick<import("./strip.js").TokensData, "tokens" | "numbering" | "query">} data  the query is in the stretch
     * @param {boolean} isNew  other tokens, rather than the same anew
     */
    begin(data, isNew) {
      ({ tokens, numbering } = data);
      if (isNew) range = firstStretch(tokens.length);
      if (data.query !== null) range = stretchTo(range, data.query, tokens.length);
      put();
    },
    /** The stretch with this token. @param {number} index */
    show(index) {
      const there = stretchTo(range, index, tokens.length);
      if (there === range) return;
      range = there;
      put();
    },
    /** Near an end of the stretch the next one is put in. */
    follow() {
      const way = wayNearEnd(strip, isRow(strip), range, tokens.length);
      if (way) shift(way);
    },
  };
}

/**
 * @param {Token[]} tokens
 * @param {number} index
 * @param {0 | 1} numbering
 * @param {number | null} count  of all, where not all stand on the page
 */
function chipOf(tokens, index, numbering, count) {
  return tokenOfLine(
    tokens,
    index,
    "token",
    {
      role: "option",
      title: tokenTitle(tokens[index], numbering),
      tabindex: -1,
      "data-index": index,
      "aria-selected": "false",
      "aria-posinset": count && index + 1,
      "aria-setsize": count,
    },
    el("span", { class: "token-index", "aria-hidden": "true" }, index + numbering),
  );
}

/** @param {EventTarget | null} target */
export function indexOf(target) {
  const chip = target instanceof Element ? target.closest(".token") : null;
  return chip instanceof HTMLElement ? Number(chip.dataset.index) : null;
}

/**
 * Whether all tokens are in one row, as on a phone.
 * @param {HTMLElement} strip
 */
export function isRow(strip) {
  return getComputedStyle(strip).flexWrap === "nowrap";
}
