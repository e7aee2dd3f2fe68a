/** The text as its tokens; picking one makes it the query whose reading is shown. */

import { el, fill } from "../dom.js";
import { t } from "../i18n.js";
import { continuesWord, direction, tokenLabel } from "../labels.js";

/** @typedef {import("../types.js").Token} Token */
/** @typedef {import("../types.js").Pointed} Pointed */

/**
 * @typedef {object} TokensData
 * @property {Token[]} tokens
 * @property {number | null} query
 * @property {number | null} key  null too where the keys are another text
 * @property {Pointed} pointed
 * @property {0 | 1} numbering
 */

/**
 * @param {HTMLElement} element
 * @param {TokensData} data
 * @param {{onPick: (token: number) => void, onPoint: (token: number | null) => void}} options
 * @returns {import("../types.js").View<TokensData>}
 */
export function tokensView(element, data, { onPick, onPoint }) {
  const strip = el("div", { class: "tokens", role: "listbox", "aria-label": t("Query token") });
  fill(element, strip);
  let current = data;
  /** @type {HTMLElement[]} */
  let chips = [];

  strip.addEventListener("click", (event) => {
    const index = indexOf(event.target);
    if (index >= 0) onPick(index);
  });
  strip.addEventListener("pointerover", (event) => {
    const index = indexOf(event.target);
    onPoint(index >= 0 ? index : null);
  });
  strip.addEventListener("pointerleave", () => onPoint(null));
  strip.addEventListener("keydown", onKey);
  build();

  /** @param {EventTarget | null} target */
  function indexOf(target) {
    const chip = target instanceof Element ? target.closest(".token") : null;
    return chip ? chips.indexOf(/** @type {HTMLElement} */ (chip)) : -1;
  }

  function build() {
    chips = current.tokens.map((token, index) => chipOf(token, current.tokens[index - 1]));
    fill(strip, ...chips);
    strip.dir = direction(current.tokens);
    mark();
  }

  /**
   * @param {Token} token
   * @param {Token | undefined} previous
   */
  function chipOf(token, previous) {
    const classes = ["token"];
    if (token.special) classes.push("is-special");
    if (continuesWord(token, previous)) classes.push("is-joined");
    if (previous && token.segment !== previous.segment && !token.special) classes.push("starts-segment");
    const place = t("token {index}", { index: token.index + current.numbering });
    const title = [place, token.token, token.special && t("special token")].filter(Boolean).join(" · ");
    return el(
      "span",
      { class: classes.join(" "), role: "option", title },
      el("bdi", {}, tokenLabel(token)),
      el("span", { class: "token-index", "aria-hidden": "true" }, token.index + current.numbering),
    );
  }

  function mark() {
    const { query, key, pointed } = current;
    chips.forEach((chip, index) => {
      const chosen = index === query;
      chip.setAttribute("aria-selected", String(chosen));
      chip.tabIndex = chosen || (query === null && index === 0) ? 0 : -1;
      chip.classList.toggle("is-key", index === key);
      chip.classList.toggle("is-pointed-query", index === pointed.query);
      chip.classList.toggle("is-pointed-key", index === pointed.key);
    });
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const index = indexOf(event.target);
    if (index < 0) return;
    const isRight = getComputedStyle(strip).direction === "rtl";
    const forward = isRight ? "ArrowLeft" : "ArrowRight";
    const back = isRight ? "ArrowRight" : "ArrowLeft";
    /** @type {Record<string, number>} */
    const moves = { [forward]: index + 1, [back]: index - 1, Home: 0, End: chips.length - 1 };
    if (event.key === "Enter" || event.key === " ") onPick(index);
    else if (!(event.key in moves)) return;
    event.preventDefault();
    const next = chips[moves[event.key] ?? -1];
    if (!next) return;
    chips[index].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  return {
    update(next) {
      const before = current;
      current = next;
      if (next.tokens !== before.tokens || next.numbering !== before.numbering) build();
      else mark();
    },
    destroy() {
      element.replaceChildren();
    },
  };
}
