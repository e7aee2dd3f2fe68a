/** How the text runs while its reach is measured: as it is, packed with another, behind padding, in cached steps. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { numberedLabel } from "../../wording/token_apart.js";

/** @typedef {import("../../api/reach.js").ReachCase} ReachCase */
/** @typedef {import("../../api/types.js").Token} Token */

/** As the server has them: positions of padding, unless said otherwise. */
const PADDING = 4;

/**
 * What can be measured, and what is asked: another case than "plain" needs a model of one part without changes, and all
 * but padding one that reads from left to right.
 * @param {{reachCase: ReachCase, reachStart: number | null}} wanted
 * @param {{isChanged: boolean, isImage: boolean, parts: readonly {name: string}[], count: number}} about
 * @returns {{cases: ReachCase[], case: ReachCase, start: number | null}}
 */
export function caseOf({ reachCase, reachStart }, { isChanged, isImage, parts, count }) {
  /** @type {ReachCase[]} */
  const cases = ["plain"];
  if (!isChanged && !isImage && parts.length === 1) {
    if (parts[0].name === "decoder") cases.push("packed");
    cases.push("padded");
    if (parts[0].name === "decoder") cases.push("cached");
  }
  const chosen = count > 1 && cases.includes(reachCase) ? reachCase : "plain";
  if (chosen !== "packed" && chosen !== "padded") return { cases, case: chosen, start: null };
  const usual = chosen === "packed" ? Math.floor(count / 2) : Math.min(PADDING, Math.floor(count / 2));
  const isInside = reachStart !== null && reachStart >= 1 && reachStart < count;
  return { cases, case: chosen, start: isInside ? reachStart : usual };
}

/** @param {(change: {reachCase?: ReachCase, reachStart?: number | null}) => void} onChange */
export function caseControls(onChange) {
  const how = el("select", {
    onchange: () => onChange({ reachCase: /** @type {ReachCase} */ (how.value), reachStart: null }),
  });
  const start = el("select", { onchange: () => onChange({ reachStart: Number(start.value) }) });
  const said = el("span", {});
  const begins = el("label", { hidden: true }, said, " ", start);
  const element = el("div", { class: "toolbar reach-case" }, el("label", {}, `${t("The text runs")} `, how), begins);
  let shown = "";
  return {
    element,
    /**
     * @param {ReturnType<typeof caseOf>} now
     * @param {Token[]} tokens
     * @param {0 | 1} numbering
     */
    show(now, tokens, numbering) {
      const key = JSON.stringify([now, tokens.map(({ text }) => text), numbering]);
      if (key === shown) return;
      shown = key;
      fill(how, ...now.cases.map((name) => el("option", { value: name }, caseName(name))));
      how.value = now.case;
      begins.hidden = now.start === null;
      said.textContent = now.case === "packed" ? t("The second document begins at") : t("The text begins at");
      const places = tokens.map((token, place) => el("option", { value: place }, numberedLabel(token, numbering)));
      fill(start, ...places.slice(1));
      start.value = String(now.start ?? 1);
      element.hidden = now.cases.length === 1;
    },
  };
}

/**
 * @param {ReachCase} name
 * @returns {string}
 */
function caseName(name) {
  const names = {
    plain: t("as it is"),
    packed: t("as two documents in one row"),
    padded: t("behind padding on its left"),
    cached: t("token by token, with a KV cache"),
  };
  return names[name];
}
