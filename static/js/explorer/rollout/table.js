/** Rollout and mean weights by token and layer as a table, also for screen readers. */

import { el } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { apartLabel } from "../../wording/token_apart.js";
import { exact, grouped } from "../../base/numbers.js";
import { alone } from "./rows.js";
import { spokenName } from "../../wording/token_name.js";

/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} RolloutTableData
 * @property {Token} token  the query
 * @property {Token[]} keys
 * @property {Token[]} layers  their numbers, as labels
 * @property {Float32Array} rollout  layers × keys
 * @property {Float32Array} means
 * @property {import("../../base/decode.js").Range} cols  keys in view
 * @property {number} layer  the chosen one
 * @property {0 | 1} numbering
 * @property {import("./rows.js").NothingFrom} isMasked
 */

/** Tokens written out at most. */
const MOST = 256;

/**
 * @param {RolloutTableData} data
 * @returns {import("../../base/dom.js").Child[]}
 */
export function rolloutTable(data) {
  const { token, keys, layers, rollout, means, layer, numbering, isMasked } = data;
  const [first, end] = data.cols;
  const shown = keys.slice(first, Math.min(end, first + MOST));
  const isChosen = (/** @type {number} */ index) => (index === layer ? "is-chosen" : null);
  const heads = [rollout, means].flatMap(() =>
    layers.map(({ text }, index) => el("th", { scope: "col", class: isChosen(index) }, text)),
  );
  const values = { rollout, means };
  const cells = (/** @type {"rollout" | "means"} */ what, /** @type {number} */ key) =>
    layers.map((_, index) => {
      const text = isMasked(what, index, alone(key)) ? t("masked") : exact(values[what][index * keys.length + key]);
      return el("td", { class: isChosen(index) }, text);
    });
  const span = { colspan: layers.length, scope: "colgroup" };
  const rows = shown.map((token, index) => {
    const name = el("th", { scope: "row", class: "is-key" }, ...spokenName(token, numbering));
    return el("tr", {}, name, ...cells("rollout", first + index), ...cells("means", first + index));
  });
  const said = { most: MOST, count: grouped(end - first) };
  const titles = [t("rollout after layer"), t("mean of the heads in layer")].map((name) => el("th", span, name));
  return [
    el(
      "table",
      { class: "numbers" },
      el(
        "caption",
        {},
        t("What “{token}” is a mixture of after each layer, and what it attends to in each", {
          token: apartLabel(keys, token, numbering),
        }),
      ),
      el(
        "thead",
        {},
        el("tr", {}, el("td", {}), ...titles),
        el("tr", {}, el("th", { scope: "col" }, t("input token ↓")), ...heads),
      ),
      el("tbody", {}, ...rows),
    ),
    end - first > MOST &&
      el(
        "p",
        { class: "note" },
        t("The first {most} of {count} tokens in view are listed; zoom in to see others.", said),
      ),
  ];
}
