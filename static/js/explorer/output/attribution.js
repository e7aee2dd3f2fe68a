/** Gradient × attention: which heads, and which weights of the chosen head, affect one output. */

import { el, fill, keepingFocus } from "../../base/dom.js";
import { drawnView, mount } from "../../base/mount.js";
import { labelled, t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { digitsFor, signedList, strongest } from "../widgets/signed_shares.js";
import { numberedName } from "../../wording/token_name.js";
import { headSharesView } from "../widgets/head_shares.js";

/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} AttributionData
 * @property {number} value  of the output
 * @property {number[][]} heads  of the part that is shown
 * @property {string} output  description of the output
 * @property {number} layer
 * @property {number} head
 * @property {0 | 1} numbering
 * @property {object} palette  of the theme; redrawn when it changes
 */

/**
 * @typedef {object} WeightsData
 * @property {import("../../base/decode.js").Matrix} matrix  weight × gradient, of one head
 * @property {Token[]} queries
 * @property {Token[]} keys
 * @property {0 | 1} numbering
 * @property {number | null} query  the chosen cell
 * @property {number | null} key
 */

const LISTED = 8;

/**
 * @param {HTMLElement} element
 * @param {AttributionData} data
 * @param {import("../widgets/head_shares.js").HeadSharesOptions} options
 * @returns {import("../../base/mount.js").View<AttributionData>}
 */
export function attributionView(element, data, options) {
  const heads = el("div", { class: "shares" });
  const said = el("p", { class: "attribution-output" });
  fill(element, said, heads);
  const show = mount(heads, headSharesView, options);
  return drawnView(
    element,
    data,
    ({ value, output, heads: values, palette, layer, head, numbering }) => {
      const title = t("Gradient × attention of each head, for {output}", { output });
      show({ title, values, layer, head, numbering, palette });
      fill(said, labelled(output), el("strong", {}, fixed(value, 3)));
    },
    () => show(null),
  );
}

/**
 * The weights of one head that affect the output most.
 * @param {HTMLElement} element
 * @param {WeightsData} data
 * @param {{onPick: (at: {query: number, key: number}) => void}} options
 * @returns {import("../../base/mount.js").View<WeightsData>}
 */
export function weightsView(element, data, { onPick }) {
  /** @param {WeightsData} next */
  function draw({ matrix: { values, width }, queries, keys, numbering, query, key }) {
    const cells = strongest(values, width, LISTED);
    const items = cells.map(({ row, column, value }) => ({
      name: [
        ...numberedName(queries[row], numbering, { class: "is-query" }),
        " → ",
        ...numberedName(keys[column], numbering, { class: "is-key" }),
      ],
      value,
      isChosen: row === query && column === key,
      onPick: () => onPick({ query: row, key: column }),
    }));
    const digits = digitsFor(cells.map(({ value }) => value));
    keepingFocus(element, () =>
      fill(
        element,
        el("h3", { class: "output-title" }, t("Strongest weights")),
        items.length === 0 ? el("p", { class: "note" }, t("No weight of this head affects the output.")) : null,
        signedList(items, digits),
      ),
    );
  }

  return drawnView(element, data, draw);
}
