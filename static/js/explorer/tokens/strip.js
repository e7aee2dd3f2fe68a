/** The text as its tokens; picking one makes it the query whose reading is shown. Of a long text a stretch at a time. */

import { moveTo, setBox } from "../../charts/overlay.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { continuesWord, direction, tokenTitle } from "../../wording/labels.js";
import { firstStretch, nextStretch, stretchTo } from "./strip_window.js";
import { tokenName } from "../../wording/token_name.js";

/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {import("../../api/types.js").Pointed} Pointed */

/**
 * @typedef {object} TokensData
 * @property {Token[]} tokens
 * @property {number | null} query
 * @property {number | null} key  null too where the keys are another text
 * @property {Pointed} pointed
 * @property {0 | 1} numbering
 */

/** Pixels from an end of the strip at which the next stretch is put in. */
const NEAR_END = 120;

/**
 * @param {HTMLElement} element
 * @param {TokensData} data
 * @param {{onPick: (token: number) => void, onPoint: (token: number | null) => void}} options
 * @returns {import("../../api/types.js").View<TokensData>}
 */
export function tokensView(element, data, { onPick, onPoint }) {
  // Frames over the tokens pointed at: moved about, they leave the tokens themselves as they are painted.
  const frames = {
    query: el("div", { class: "token-frame is-query", hidden: true }),
    key: el("div", { class: "token-frame is-key", hidden: true }),
  };
  const strip = el("div", { class: "tokens", role: "listbox", "aria-label": t("Query token") });
  fill(element, strip);
  let current = data;
  let stretch = firstStretch(data.tokens.length);
  /** @type {HTMLElement[]} of the stretch */
  let chips = [];
  /** Which chips carry which mark, so that only those change. */
  const marked = { query: -1, key: -1, pointedQuery: -1, pointedKey: -1, focusable: -1 };

  strip.addEventListener("click", (event) => {
    const index = indexOf(event.target);
    if (index !== null) onPick(index);
  });
  strip.addEventListener("pointerover", (event) => onPoint(indexOf(event.target)));
  strip.addEventListener("pointerleave", () => onPoint(null));
  strip.addEventListener("keydown", onKey);
  strip.addEventListener("scroll", onScroll, { passive: true });
  build();

  /** @param {EventTarget | null} target */
  function indexOf(target) {
    const chip = target instanceof Element ? target.closest(".token") : null;
    return chip instanceof HTMLElement ? Number(chip.dataset.index) : null;
  }

  /** @param {number} index */
  function chipAt(index) {
    return chips[index - stretch[0]];
  }

  function build() {
    const { tokens, query } = current;
    if (query !== null) stretch = stretchTo(stretch, query, tokens.length);
    put();
    strip.dir = direction(tokens);
    strip.classList.toggle("is-stretch", stretch[1] - stretch[0] < tokens.length);
    if (query !== null && stretch[0] > 0) reveal(query);
  }

  /** A token out of sight in the strip comes to its middle; the page around it stays. @param {number} index */
  function reveal(index) {
    const { offsetTop: top, offsetHeight: height } = chipAt(index);
    const { scrollTop, clientHeight } = strip;
    if (top < scrollTop || top + height > scrollTop + clientHeight) strip.scrollTop = top - (clientHeight - height) / 2;
  }

  function put() {
    const { tokens } = current;
    chips = tokens
      .slice(...stretch)
      .map((token, place) => chipOf(token, stretch[0] + place, tokens[stretch[0] + place - 1]));
    fill(strip, ...chips, frames.query, frames.key);
    for (const name of /** @type {(keyof typeof marked)[]} */ (Object.keys(marked))) marked[name] = -1;
    mark();
  }

  /**
   * @param {Token} token
   * @param {number} index
   * @param {Token | undefined} previous
   */
  function chipOf(token, index, previous) {
    const classes = ["token"];
    if (token.special) classes.push("is-special");
    if (continuesWord(token, previous)) classes.push("is-joined");
    if (previous && token.segment !== previous.segment && !token.special) classes.push("starts-segment");
    const title = tokenTitle(token, current.numbering);
    const isStretch = stretch[1] - stretch[0] < current.tokens.length;
    return el(
      "span",
      {
        class: classes.join(" "),
        role: "option",
        title,
        tabindex: -1,
        "aria-selected": "false",
        "aria-posinset": isStretch ? index + 1 : null,
        "aria-setsize": isStretch ? current.tokens.length : null,
        "data-index": index,
      },
      tokenName(token),
      el("span", { class: "token-index", "aria-hidden": "true" }, index + current.numbering),
    );
  }

  function mark() {
    const { query, key, pointed } = current;
    const boxes = { query: boxOf(pointed.query), key: boxOf(pointed.key) }; // read before anything is changed
    move("query", query, (chip, isIt) => chip.setAttribute("aria-selected", String(isIt)));
    move("focusable", inStretch(query) ?? stretch[0], (chip, isIt) => (chip.tabIndex = isIt ? 0 : -1));
    move("key", key, (chip, isIt) => chip.classList.toggle("is-key", isIt));
    move("pointedQuery", pointed.query, (chip, isIt) => chip.classList.toggle("is-pointed-query", isIt));
    move("pointedKey", pointed.key, (chip, isIt) => chip.classList.toggle("is-pointed-key", isIt));
    lay(frames.query, boxes.query);
    lay(frames.key, boxes.key);
  }

  /** @param {number | null} index */
  function boxOf(index) {
    if (inStretch(index) === null) return null;
    const { offsetLeft: x, offsetTop: y, offsetWidth: width, offsetHeight: height } = chipAt(Number(index));
    return { x, y, width, height };
  }

  /**
   * @param {HTMLElement} frame
   * @param {ReturnType<typeof boxOf>} box
   */
  function lay(frame, box) {
    frame.hidden = box === null;
    if (!box) return;
    setBox(frame, { width: box.width, height: box.height });
    moveTo(frame, box.x, box.y);
  }

  /** @param {number | null} index */
  function inStretch(index) {
    return index !== null && index >= stretch[0] && index < stretch[1] ? index : null;
  }

  /**
   * Takes a mark from the token that has it and gives it to another.
   * @param {keyof typeof marked} name
   * @param {number | null} to
   * @param {(chip: HTMLElement, isIt: boolean) => void} set
   */
  function move(name, to, set) {
    const next = inStretch(to) ?? -1;
    if (next === marked[name]) return;
    if (marked[name] >= 0) set(chipAt(marked[name]), false);
    if (next >= 0) set(chipAt(next), true);
    marked[name] = next;
  }

  /** Near an end of the stretch the next one is put in, and what was on screen stays where it was. */
  function onScroll() {
    const { scrollTop, scrollHeight, clientHeight } = strip;
    const isNearEnd = scrollTop + clientHeight > scrollHeight - NEAR_END;
    if (isNearEnd && stretch[1] < current.tokens.length) shift(1);
    else if (scrollTop < NEAR_END && stretch[0] > 0) shift(-1);
  }

  /** @param {1 | -1} way */
  function shift(way) {
    const next = nextStretch(stretch, way, current.tokens.length);
    const kept = way === 1 ? next[0] : stretch[0];
    const before = chipAt(kept).offsetTop - strip.scrollTop;
    const hadFocus = indexOf(document.activeElement);
    stretch = next;
    put();
    strip.scrollTop = chipAt(kept).offsetTop - before;
    if (hadFocus !== null && inStretch(hadFocus) !== null) chipAt(hadFocus).focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const index = indexOf(event.target);
    if (index === null) return;
    const isRight = getComputedStyle(strip).direction === "rtl";
    const forward = isRight ? "ArrowLeft" : "ArrowRight";
    const back = isRight ? "ArrowRight" : "ArrowLeft";
    /** @type {Record<string, number>} */
    const moves = { [forward]: index + 1, [back]: index - 1, Home: 0, End: current.tokens.length - 1 };
    if (event.key === "Enter" || event.key === " ") onPick(index);
    else if (!(event.key in moves)) return;
    event.preventDefault();
    const next = moves[event.key] ?? -1;
    if (next >= 0 && next < current.tokens.length) focus(next);
  }

  /** @param {number} index */
  function focus(index) {
    const there = stretchTo(stretch, index, current.tokens.length);
    if (there !== stretch) {
      stretch = there;
      put();
    }
    move("focusable", index, (chip, isIt) => (chip.tabIndex = isIt ? 0 : -1));
    chipAt(index).focus();
  }

  return {
    update(next) {
      const before = current;
      current = next;
      const isOther = next.tokens !== before.tokens;
      if (isOther) stretch = firstStretch(next.tokens.length);
      const isOut = next.query !== before.query && next.query !== null && inStretch(next.query) === null;
      if (isOther || isOut || next.numbering !== before.numbering) build();
      else mark();
      if (next.query !== null && next.query !== before.query) reveal(next.query);
    },
    destroy() {
      element.replaceChildren();
    },
  };
}
