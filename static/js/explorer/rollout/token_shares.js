/** The input tokens that a query holds most of after one layer, with their numbers. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { exact } from "../../base/numbers.js";
import { strongest } from "./rows.js";
import { tokenName } from "../../wording/token_name.js";

/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} RolloutTokensData
 * @property {Token[]} keys
 * @property {number} layer
 * @property {0 | 1} numbering
 * @property {Float32Array | null} rollout  one number for each key; null while it is fetched
 * @property {Float32Array | null} means
 * @property {Float32Array | null} flow
 * @property {boolean} hasFlow  whether it can be had
 * @property {number | null} key  the chosen one
 * @property {number | null} pointed
 */

const SHOWN = 10;

/**
 * @param {HTMLElement} element
 * @param {RolloutTokensData} data
 * @param {{onPick: (key: number) => void, onPoint: (key: number | null) => void}} options
 * @returns {import("../../api/types.js").View<RolloutTokensData>}
 */
export function rolloutTokensView(element, data, { onPick, onPoint }) {
  /** @param {RolloutTokensData} next */
  function draw(next) {
    const { rollout, means, layer, numbering, key } = next;
    const focused = element.contains(document.activeElement) ? document.activeElement?.getAttribute("data-key") : null;
    const first = rollout ? strongest(rollout, SHOWN) : [];
    const listed = key === null || rollout === null || first.includes(key) ? first : [...first, key];
    const full = rollout ? Math.max(rollout[first[0]], 1e-9) : 1;
    const rows = listed.map((index) => row(next, index, full));
    const names = [t("token"), t("rollout"), t("mean of heads"), t("flow")].slice(0, next.hasFlow ? 4 : 3);
    const left = (rollout?.length ?? 0) - listed.length;
    const rest = (/** @type {Float32Array | null} */ values) =>
      values ? exact(values.reduce((sum, value, index) => (listed.includes(index) ? sum : sum + value), 0)) : "…";
    fill(
      element,
      el(
        "table",
        { class: "rollout-tokens" },
        el("caption", {}, t("Strongest after layer {layer}", { layer: layer + numbering })),
        el("thead", {}, el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, name)))),
        el("tbody", {}, ...rows),
        left > 0 &&
          el(
            "tfoot",
            {},
            el(
              "tr",
              {},
              el("th", { scope: "row" }, t("{count} others together", { count: left })),
              el("td", {}, rest(rollout)),
              el("td", {}, rest(means)),
              next.hasFlow && el("td", {}, "–"),
            ),
          ),
      ),
    );
    if (focused) /** @type {HTMLElement | null} */ (element.querySelector(`[data-key="${focused}"]`))?.focus();
  }

  /**
   * @param {RolloutTokensData} next
   * @param {number} index
   * @param {number} full  the value of a whole bar
   */
  function row({ keys, rollout, means, flow, hasFlow, key, pointed, numbering }, index, full) {
    const token = keys[index];
    const number = (/** @type {Float32Array | null} */ values) => (values ? exact(values[index]) : "…");
    const button = el(
      "button",
      {
        type: "button",
        class: "rollout-token",
        "data-key": index,
        "aria-pressed": String(index === key),
        onclick: () => onPick(index),
        onpointerenter: () => onPoint(index),
        onpointerleave: () => onPoint(null),
        onfocus: () => onPoint(index),
        onblur: () => onPoint(null),
      },
      tokenName(token, { class: "is-key" }),
      el("span", { class: "token-index" }, token.index + numbering),
    );
    const line = el(
      "tr",
      { class: index === pointed ? "is-pointed" : null },
      el("th", { scope: "row" }, button),
      el("td", { class: "rollout-share" }, number(rollout)),
      el("td", {}, number(means)),
      hasFlow && el("td", {}, number(flow)),
    );
    line.style.setProperty("--share", String((rollout?.[index] ?? 0) / full));
    return line;
  }

  let current = data;
  draw(data);
  return {
    update(next) {
      const before = current;
      current = next;
      const isPointing = Object.keys(next).every((name) => {
        const one = /** @type {keyof RolloutTokensData} */ (name);
        return one === "pointed" || Object.is(next[one], before[one]);
      });
      if (!isPointing) draw(next);
      else markPointed(element, next.pointed);
    },
    destroy() {
      element.replaceChildren();
    },
  };
}

/**
 * @param {HTMLElement} element
 * @param {number | null} pointed
 */
function markPointed(element, pointed) {
  for (const button of element.querySelectorAll("[data-key]")) {
    button.closest("tr")?.classList.toggle("is-pointed", button.getAttribute("data-key") === String(pointed));
  }
}
