/** The input tokens that a query holds most of after one layer, with their numbers. */

import { el, fill, keepingFocus } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { exact } from "../../base/numbers.js";
import { alone, ranked } from "./rows.js";
import { spokenName } from "../../wording/token_name.js";
import { differs, drawnView } from "../../base/mount.js";

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
 * @property {import("./rows.js").NothingFrom} isMasked
 */

/** @typedef {{onPick: (key: number) => void, onPoint: (key: number | null) => void}} RolloutTokensOptions */

const SHOWN = 10;
const MAPS = /** @type {const} */ (["rollout", "means", "flow"]);

/**
 * @param {HTMLElement} element
 * @param {RolloutTokensData} data
 * @param {RolloutTokensOptions} options
 * @returns {import("../../base/mount.js").View<RolloutTokensData>}
 */
export function rolloutTokensView(element, data, options) {
  /** @type {RolloutTokensData | null} */
  let current = null;
  return drawnView(element, data, (next) => {
    const isPointing = current !== null && !differs(current, next, ["pointed"]);
    current = next;
    if (!isPointing) keepingFocus(element, () => fill(element, tableOf(next, options)));
    for (const button of element.querySelectorAll("[data-key]")) {
      button.closest("tr")?.classList.toggle("is-pointed", button.getAttribute("data-key") === String(next.pointed));
    }
  });
}

/**
 * @param {RolloutTokensData} data
 * @param {RolloutTokensOptions} options
 */
function tableOf(data, options) {
  const { rollout, means, layer, numbering, key, hasFlow, isMasked } = data;
  const order = rollout ? ranked(rollout, (place) => isMasked("rollout", layer, alone(place))) : [];
  const first = order.slice(0, SHOWN);
  const listed = key === null || rollout === null || first.includes(key) ? first : [...first, key];
  const full = rollout ? Math.max(rollout[first[0]], 1e-9) : 1;
  const names = [t("token"), t("rollout"), t("mean of heads"), hasFlow && t("flow")].filter(Boolean);
  const count = order.filter((place) => !listed.includes(place)).length;
  const rest = (/** @type {Float32Array | null} */ values) =>
    values ? exact(values.reduce((sum, value, index) => (listed.includes(index) ? sum : sum + value), 0)) : "…";
  const others = [rest(rollout), rest(means), hasFlow && "–"].filter(Boolean);
  return el(
    "table",
    { class: "rollout-tokens" },
    el("caption", {}, t("Strongest after layer {layer}", { layer: layer + numbering })),
    el("thead", {}, el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, ...listed.map((index) => rowOf(data, index, full, options))),
    count > 0 && el("tfoot", {}, tableRow(t("other tokens ({count}), in total", { count }), others)),
  );
}

/**
 * @param {RolloutTokensData} data
 * @param {number} index
 * @param {number} full  the value of a whole bar
 * @param {RolloutTokensOptions} options
 */
function rowOf(data, index, full, { onPick, onPoint }) {
  const { keys, rollout, hasFlow, key, numbering, layer, isMasked } = data;
  const [point, leave] = [() => onPoint(index), () => onPoint(null)];
  const button = el(
    "button",
    {
      type: "button",
      class: "rollout-token",
      "data-key": index,
      "aria-pressed": String(index === key),
      onclick: () => onPick(index),
      onpointerenter: point,
      onpointerleave: leave,
      onfocus: point,
      onblur: leave,
    },
    ...spokenName(keys[index], numbering, { class: "is-key" }),
  );
  const shown = hasFlow ? MAPS : MAPS.slice(0, 2);
  const row = tableRow(
    button,
    shown.map((what) => {
      const values = data[what];
      return isMasked(what, layer, alone(index)) ? t("masked") : values ? exact(values[index]) : "…";
    }),
  );
  row.cells[1].className = "rollout-share";
  row.style.setProperty("--share", String((rollout?.[index] ?? 0) / full));
  return row;
}

/**
 * @param {import("../../base/dom.js").Child} name
 * @param {(string | false)[]} cells
 */
function tableRow(name, cells) {
  return el("tr", {}, el("th", { scope: "row" }, name), ...cells.map((cell) => el("td", {}, cell)));
}
