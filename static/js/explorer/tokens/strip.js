/** Token strip: the text as tokens; picking one makes it the query. A long text is shown in part. */

import { moveTo, setBox } from "../../charts/overlay.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { moveInList } from "../../base/key_moves.js";
import { createMarks } from "../../base/marks.js";
import { changes, drawnView } from "../../base/mount.js";
import { directLine } from "../../wording/token_line.js";
import { createStretch, indexOf, isRow } from "./stretch.js";

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

/**
 * How a token is marked, here and as a patch of an image.
 * @type {Parameters<typeof createMarks>[0]}
 */
export const TOKEN_MARKS = {
  query: (chip, isIt) => chip.setAttribute("aria-selected", String(isIt)),
  focusable: (chip, isIt) => (chip.tabIndex = isIt ? 0 : -1),
  key: (chip, isIt) => chip.classList.toggle("is-key", isIt),
  pointedQuery: (chip, isIt) => chip.classList.toggle("is-pointed-query", isIt),
  pointedKey: (chip, isIt) => chip.classList.toggle("is-pointed-key", isIt),
};

/**
 * @param {HTMLElement} element
 * @param {TokensData} data
 * @param {{onPick: (token: number) => void, onPoint: (token: number | null) => void}} options
 * @returns {import("../../base/mount.js").View<TokensData>}
 */
export function tokensView(element, data, { onPick, onPoint }) {
  const frames = createFrames();
  const strip = el("div", { class: "tokens", role: "listbox", "aria-label": t("Query token") });
  fill(element, strip);
  const stretch = createStretch(strip, frames.elements, () => {
    marks.forget();
    mark();
    markSelected(stretch.chips(), current?.selected);
  });
  const marks = createMarks(TOKEN_MARKS, stretch.chipAt);
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
    letReach(strip, stretch.chipAt(focusable));
    frames.lay(boxes);
  }

  return drawnView(element, data, (next) => {
    const isFirst = current === null;
    const differs = changes(current, next);
    const { tokens, query } = next;
    current = next;
    const isOut = query !== null && differs("query") && !stretch.chipAt(query);
    if (differs("tokens", "numbering") || isOut) {
      stretch.begin(next, differs("tokens"));
      directLine(strip, tokens);
    } else mark();
    if (differs("selected")) markSelected(stretch.chips(), next.selected);
    if (query !== null && (isFirst ? isRow(strip) || stretch.first() > 0 : differs("query")))
      reveal(strip, stretch.chipAt(query));
  });
}

/** @param {[number, HTMLElement][]} chips  with their tokens' indices @param {TokensData["selected"]} [selected] */
function markSelected(chips, { queries, keys } = { queries: [], keys: [] }) {
  for (const [index, chip] of chips) {
    const roles = [queries.includes(index) && t("selected query"), keys.includes(index) && t("selected key")];
    const said = roles.filter(Boolean).join(", ");
    chip.classList.toggle("is-selected-query", Boolean(roles[0]));
    chip.classList.toggle("is-selected-key", Boolean(roles[1]));
    if (said) chip.setAttribute("aria-description", said);
    else chip.removeAttribute("aria-description");
  }
}

/**
 * What scrolls must be reachable by keyboard, also where its tokens are chosen in an image.
 * @param {HTMLElement} strip
 * @param {HTMLElement} [chip]
 */
function letReach(strip, chip) {
  const tabIndex = chip?.checkVisibility() ? -1 : 0;
  if (strip.tabIndex !== tabIndex) strip.tabIndex = tabIndex;
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
 * @param {ReturnType<typeof createStretch>} stretch
 * @param {number | null} index
 */
function boxOf(stretch, index) {
  const chip = index === null ? undefined : stretch.chipAt(index);
  return chip ? { x: chip.offsetLeft, y: chip.offsetTop, width: chip.offsetWidth, height: chip.offsetHeight } : null;
}

/** Frames over the tokens pointed at: moved about, they leave the tokens themselves as they are painted. */
function createFrames() {
  const [query, key] = ["query", "key"].map((side) => el("div", { class: `token-frame is-${side}`, hidden: true }));
  return {
    elements: [query, key],
    /** @param {Record<"query" | "key", ReturnType<typeof boxOf>>} boxes */
    lay(boxes) {
      lay(query, boxes.query);
      lay(key, boxes.key);
    },
  };
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
