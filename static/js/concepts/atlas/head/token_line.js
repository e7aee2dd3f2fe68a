/** A window of the corpus as a line of tokens: one query and its key marked, the key's shade is its weight. */

import { el } from "../../../base/dom.js";
import { fixed } from "../../../base/numbers.js";
import { t } from "../../../base/i18n.js";

/** @typedef {import("../../../api/atlases.js").AtlasWindow} AtlasWindow */

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
    [first, last].map((at) => [Math.max(0, at - around), Math.min(count, at + around + 1)])
  );
  return near[0][1] >= near[1][0] ? [[near[0][0], near[1][1]]] : near;
}

/**
 * @param {AtlasWindow} window
 * @param {{query: number, key: number, weight: number}} cell
 */
export function tokenLine({ tokens, text }, { query, key, weight }) {
  const parts = stretchesAround(tokens.length, query, key).flatMap(([from, to], index) => [
    index === 0 ? from > 0 && ellipsis() : ellipsis(),
    ...tokens.slice(from, to).map((token, at) => tokenOf(token, from + at)),
    to < tokens.length && index === stretchesAround(tokens.length, query, key).length - 1 && ellipsis(),
  ]);
  const says = t("“{query}” attends to “{key}” with weight {weight}", {
    query: tokens[query]?.text ?? "",
    key: tokens[key]?.text ?? "",
    weight: fixed(weight, 3),
  });
  const line = el("p", { class: "atlas-line", translate: "no" }, ...parts);
  return { line, says };

  /** @param {AtlasWindow["tokens"][number]} token @param {number} index */
  function tokenOf(token, index) {
    const { text: word, start, special } = token;
    // A space stands before a token where the text has one; some tokens begin with theirs.
    const isApart = index > 0 && (/^\s/.test(word) || (start > 0 && /\s/.test(text.charAt(start - 1))));
    const before = isApart || special || tokens[index - 1]?.special ? " " : "";
    const shown = word.trim() === "" ? "·" : word.replace(/^##/, "").trim();
    const kind = [special && "is-special", index === query && "is-query", index === key && "is-key"].filter(Boolean);
    const one = el("span", { class: `atlas-token ${kind.join(" ")}`.trim() }, shown);
    if (index === key) one.style.setProperty("--weight", String(weight));
    if (index === query || index === key) {
      const role = index === query ? (index === key ? t("query and key") : t("query")) : t("key");
      return el("span", {}, before, one, el("span", { class: "visually-hidden" }, ` (${role})`));
    }
    return el("span", {}, before, one);
  }
}

function ellipsis() {
  return el("span", { class: "note" }, " … ");
}
