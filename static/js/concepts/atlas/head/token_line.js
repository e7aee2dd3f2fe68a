/** A window of the corpus as a line of tokens: one query and its key marked, the key's shade is its weight. */

import { el } from "../../../base/dom.js";
import { fixed } from "../../../base/numbers.js";
import { t } from "../../../base/i18n.js";
import { tokenLabel } from "../../../wording/labels.js";
import { directLine, tokenOfLine } from "../../../wording/token_line.js";
import { isolated } from "../../../wording/token_text.js";

/** @typedef {import("../../../api/atlases.js").AtlasWindow} AtlasWindow */
/** @typedef {import("../../../api/types.js").Token} Token */

/** Tokens shown on either side of what matters. */
const AROUND = 9;

/**
 * The stretches of a window that are shown: around the query, around the key, joined where they meet.
 * @param {number} count  of tokens
 * @param {number} query
 * @param {number} key
 * @returns {[number, number][]}  from, to (not included)
 */
export function stretchesAround(count, query, key, around = AROUND) {
  const [first, last] = [Math.min(query, key), Math.max(query, key)];
  const near = /** @type {[number, number][]} */ (
    [first, last].map((center) => [Math.max(0, center - around), Math.min(count, center + around + 1)])
  );
  return near[0][1] >= near[1][0] ? [[near[0][0], near[1][1]]] : near;
}

/** A window's tokens as those of an analysis. @param {AtlasWindow["tokens"]} tokens @returns {Token[]} */
export function analysisTokens(tokens) {
  return tokens.map((token, index) => ({ ...token, index, id: 0, segment: 0 }));
}

/**
 * @param {readonly Token[]} tokens  of an analysis, or of a window of the corpus
 * @param {{query: number, key: number, weight: number}} cell
 */
export function tokenLine(tokens, { query, key, weight }) {
  const stretches = stretchesAround(tokens.length, query, key);
  const parts = stretches.flatMap(([from, to], number) => [
    from > 0 && ellipsis(),
    ...tokens.slice(from, to).map((_, offset) => tokenAt(from + offset)),
    to < tokens.length && number === stretches.length - 1 && ellipsis(),
  ]);
  const says = t("“{query}” attends to “{key}” with weight {weight}", {
    query: isolated(tokens[query] ? tokenLabel(tokens[query]) : ""),
    key: isolated(tokens[key] ? tokenLabel(tokens[key]) : ""),
    weight: fixed(weight, 3),
  });
  const line = el("p", { class: "atlas-line", translate: "no" }, ...parts);
  directLine(line, tokens);
  return { line, says };

  /** A token with the gap before it, unless it goes on with the word. @param {number} index */
  function tokenAt(index) {
    const kind = ["atlas-token", index === query && "is-query", index === key && "is-key"].filter(Boolean).join(" ");
    const element = tokenOfLine(tokens, index, kind);
    const gap = element.classList.contains("is-joined") ? "" : " ";
    if (index === key) element.style.setProperty("--weight", String(weight));
    if (index !== query && index !== key) return el("span", {}, gap, element);
    const role = index === query ? (index === key ? t("query and key") : t("query")) : t("key");
    return el("span", {}, gap, element, el("span", { class: "visually-hidden" }, ` (${role})`));
  }
}

function ellipsis() {
  return el("span", { class: "note" }, " … ");
}
