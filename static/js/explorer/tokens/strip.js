/** Token strip: the text as tokens; picking one makes it the query. A long text is shown in part. */

import { moveTo, setBox } from "../../charts/overlay.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { moveInList } from "../../base/key_moves.js";
import { createMarks } from "../../base/marks.js";
import { changes, drawnView } from "../../base/mount.js";
import { tokenTitle } from "../../wording/labels.js";
import { firstStretch, nextStretch, stretchTo } from "./strip_window.js";
import { directLine, tokenOfLine } from "../../wording/token_line.js";

/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {import("../../charts/heat_map/cells.js").Pointed} Pointed */

/**
 * @typedef {object} TokensData
 * @property {Token[]} tokens
 * @property {number | null} query
 * @property {number | null} key  null too where the keys are another text
 * @property {Pointed} pointed
 * @property {{queries: readonly number[], keys: readonly number[]}} selected  in the query–key plane
 * @property {0 | 1} numbering
 */

/** Pixels from an end of the strip at which the next stretch is put in. */
const NEAR_END = 120;

/**
 * @param {HTMLElement} element
 * @param {TokensData} data
 * @param {{onPick: (token: number) => void, onPoint: (token: number | null) => void}} options
 * @returns {import("../../base/mount.js").View<TokensData>}
 */
export function tokensView(element, data, { onPick, onPoint }) {
  // Frames over the tokens pointed at: moved about, they leave the tokens themselves as they are painted.
  const frames = {
    query: el("div", { class: "token-frame is-query", hidden: true }),
    key: el("div", { class: "token-frame is-key", hidden: true }),
  };
  const strip = el("div", { class: "tokens", role: "listbox", "aria-label": t("Query token") });
  fill(element, strip);
  const stretch = createStretch(strip, Object.values(frames), () => {
    marks.forget();
    mark();
    markSelected();
  });
  const marks = createMarks(
    {
      query: (chip, isIt) => chip.setAttribute("aria-selected", String(isIt)),
      focusable: (chip, isIt) => (chip.tabIndex = isIt ? 0 : -1),
      key: (chip, isIt) => chip.classList.toggle("is-key", isIt),
      pointedQuery: (chip, isIt) => chip.classList.toggle("is-pointed-query", isIt),
      pointedKey: (chip, isIt) => chip.classList.toggle("is-pointed-key", isIt),
    },
    stretch.chipAt,
  );
  /** @type {TokensData | null} */
  let current = null;

  strip.addEventListener("click", ({ target }) => {
    const index = indexOf(target);
    if (index !== null) onPick(index);
  });
  strip.addEventListener("pointerover", ({ target }) => onPoint(indexOf(target)));
  strip.addEventListener("pointerleave", () => onPoint(null));
  strip.addEventListener("scroll", stretch.follow, { passive: true });
  strip.addEventListener("keydown", (event) => {
    const index = indexOf(event.target);
    if (index === null || !current) return;
    const way = getComputedStyle(strip).direction === "rtl" ? "left" : "right";
    const next = moveInList(event.key, index, current.tokens.length, { way });
    if (event.key === "Enter" || event.key === " ") onPick(index);
    else if (next === null) return;
    event.preventDefault();
    if (next === null) return;
    stretch.show(next);
    marks.set({ focusable: next });
    stretch.chipAt(next).focus();
  });

  function mark() {
    if (!current) return;
    const { query, key, pointed } = current;
    const boxes = { query: boxOf(stretch, pointed.query), key: boxOf(stretch, pointed.key) }; // read before changes
    const focusable = query !== null && stretch.chipAt(query) ? query : stretch.first();
    marks.set({ query, focusable, key, pointedQuery: pointed.query, pointedKey: pointed.key });
    // What scrolls must be reachable by keyboard, also where its tokens are chosen in an image.
    const isReached = stretch.chipAt(focusable)?.checkVisibility();
    if (strip.tabIndex !== (isReached ? -1 : 0)) strip.tabIndex = isReached ? -1 : 0;
    lay(frames.query, boxes.query);
    lay(frames.key, boxes.key);
  }

  function markSelected() {
    const { queries = [], keys = [] } = current?.selected ?? {};
    for (const [index, chip] of stretch.chips()) {
      const roles = [queries.includes(index) && t("selected query"), keys.includes(index) && t("selected key")];
      const said = roles.filter(Boolean).join(", ");
      chip.classList.toggle("is-selected-query", Boolean(roles[0]));
      chip.classList.toggle("is-selected-key", Boolean(roles[1]));
      if (said) chip.setAttribute("aria-description", said);
      else chip.removeAttribute("aria-description");
    }
  }

  return drawnView(element, data, (next) => {
    const isFirst = current === null;
    const differs = changes(current, next);
    const { tokens, numbering, query } = next;
    current = next;
    const isOut = query !== null && differs("query") && !stretch.chipAt(query);
    if (differs("tokens", "numbering") || isOut) {
      stretch.begin(tokens, numbering, query, differs("tokens"));
      directLine(strip, tokens);
    } else mark();
    if (differs("selected")) markSelected();
    if (query !== null && (isFirst ? isRow(strip) || stretch.first() > 0 : differs("query")))
      reveal(strip, stretch.chipAt(query));
  });
}

/**
 * The chips of the tokens in a stretch, and the stretch that moves along with scrolling.
 * @param {HTMLElement} strip
 * @param {HTMLElement[]} frames  that stand over the chips
 * @param {() => void} onPut  the chips are others
 */
function createStretch(strip, frames, onPut) {
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
     * @param {Token[]} others
     * @param {0 | 1} number
     * @param {number | null} query  which is in the stretch
     * @param {boolean} isNew  other tokens, rather than the same anew
     */
    begin(others, number, query, isNew) {
      [tokens, numbering] = [others, number];
      if (isNew) range = firstStretch(tokens.length);
      if (query !== null) range = stretchTo(range, query, tokens.length);
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
      const { scrollTop, scrollHeight, clientHeight, scrollLeft, scrollWidth, clientWidth } = strip;
      const before = isRow(strip) ? Math.abs(scrollLeft) : scrollTop; // negative where the text runs to the left
      const after = isRow(strip) ? scrollWidth - clientWidth - before : scrollHeight - clientHeight - before;
      if (after < NEAR_END && range[1] < tokens.length) shift(1);
      else if (before < NEAR_END && range[0] > 0) shift(-1);
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
function indexOf(target) {
  const chip = target instanceof Element ? target.closest(".token") : null;
  return chip instanceof HTMLElement ? Number(chip.dataset.index) : null;
}

/**
 * A token out of sight in the strip comes to its middle; the page around it stays.
 * @param {HTMLElement} strip
 * @param {HTMLElement} chip
 */
function reveal(strip, { offsetTop: top, offsetHeight: height, offsetLeft: left, offsetWidth: width }) {
  const { scrollTop, clientHeight, scrollLeft, clientWidth } = strip;
  if (top < scrollTop || top + height > scrollTop + clientHeight) strip.scrollTop = top - (clientHeight - height) / 2;
  if (left < scrollLeft || left + width > scrollLeft + clientWidth) strip.scrollLeft = left - (clientWidth - width) / 2;
}

/**
 * Whether all tokens are in one row, as on a phone.
 * @param {HTMLElement} strip
 */
function isRow(strip) {
  return getComputedStyle(strip).flexWrap === "nowrap";
}

/**
 * @param {ReturnType<typeof createStretch>} stretch
 * @param {number | null} index
 */
function boxOf(stretch, index) {
  const chip = index === null ? undefined : stretch.chipAt(index);
  return chip ? { x: chip.offsetLeft, y: chip.offsetTop, width: chip.offsetWidth, height: chip.offsetHeight } : null;
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
