/** Direct effect: what every head and layer adds to one logit; all contributions add up to it. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { drawnView, mount } from "../../base/mount.js";
import { matrixMark } from "../../charts/matrix.js";
import { fixed, rounded } from "../../base/numbers.js";
import { digitsFor, kindOf, largest, signed } from "../widgets/signed_shares.js";
import { headSharesView } from "../widgets/head_shares.js";

/** @typedef {import("../../api/output.js").DirectEffect} DirectEffect */

/**
 * @typedef {object} DirectEffectData
 * @property {DirectEffect} effect
 * @property {string} output  description of the output
 * @property {number} layer
 * @property {number} head
 * @property {0 | 1} numbering
 * @property {object} palette
 */

/**
 * @param {HTMLElement} element
 * @param {DirectEffectData} data
 * @param {import("../widgets/head_shares.js").HeadSharesOptions} options
 * @returns {import("../../base/mount.js").View<DirectEffectData>}
 */
export function directEffectView(element, data, options) {
  const [heads, layers, sum] = [el("div", { class: "shares" }), el("div"), el("div", { class: "effect-sum" })];
  const beside = el(
    "div",
    { class: "effect-layers" },
    el("h3", { class: "output-title" }, t("What comes from no head")),
    layers,
  );
  fill(element, heads, el("div", { class: "effect-columns" }, beside, sum));
  const showHeads = mount(heads, headSharesView, options);
  const showLayers = mount(layers, matrixMark, { isFitted: false });
  return drawnView(
    element,
    data,
    ({ effect, output, layer, head, numbering, palette }) => {
      const title = t("Direct effect of each head on {output}", { output });
      showHeads({ title, values: effect.heads, layer, head, numbering, palette });
      showLayers(ofLayers(effect, numbering));
      fill(sum, el("h3", { class: "output-title" }, t("Sum")), sumTable(effect, output), ...caveats(effect));
    },
    () => {
      showHeads(null);
      showLayers(null);
    },
  );
}

/**
 * Contributions that belong to no head, layer by layer.
 * @param {DirectEffect} effect
 * @param {0 | 1} numbering
 * @returns {import("../../charts/matrix.js").MatrixMark}
 */
function ofLayers({ attention_bias: bias, feed_forward: forward }, numbering) {
  const digits = digitsFor([...bias, ...forward]);
  return {
    title: t("Direct effect of each layer's biases and feed-forward layer"),
    values: bias.map((value, layer) => [rounded(value, digits), rounded(forward[layer], digits)]),
    rows: bias.map((_, layer) => String(layer + numbering)),
    columns: [t("attention bias"), t("feed-forward")],
    scale: "signed",
    digits,
    axes: t("layer ↓"),
  };
}

/**
 * @param {DirectEffect} effect
 * @param {string} output
 */
function sumTable({ heads, attention_bias, feed_forward, embedding, constant, total, logit, cap }, output) {
  const add = (/** @type {number[]} */ values) => values.reduce((sum, value) => sum + value, 0);
  /** @type {[string, number][]} */
  const parts = [
    [t("embedding"), embedding],
    [t("all heads"), add(heads.flat())],
    [t("attention biases"), add(attention_bias)],
    [t("feed-forward layers"), add(feed_forward)],
    [t("last norm's and output matrix's biases"), constant],
  ];
  const most = largest(parts.map(([, value]) => value)) || 1;
  return el(
    "table",
    { class: "effect-table" },
    el("caption", { class: "visually-hidden" }, t("All contributions and their sum")),
    el(
      "tbody",
      {},
      ...parts.map(([name, value]) => {
        const bar = el("span", { class: `effect-bar ${kindOf(value)}`, "aria-hidden": "true" });
        bar.style.setProperty("--share", String(Math.abs(value) / most));
        return sumRow(name, signed(value, 3), { cell: "effect-side" }, bar);
      }),
      sumRow(t("total"), fixed(total, 3), { row: "is-total" }),
      sumRow(
        cap === null
          ? t("{output} as the model computes it", { output })
          : t("{output} as the model computes it, before its cap", { output }),
        fixed(logit, 3),
      ),
    ),
  );
}

/**
 * What the sum leaves out in models that norm what they write, or cap their logits.
 * @param {DirectEffect} effect
 */
function caveats({ norms_written, cap }) {
  return [
    norms_written &&
      t(
        "This model norms what its heads and feed-forward layers write before it is added. The scale of these norms is held fixed, too: the contributions are exact here, but do not say how a norm would rescale the rest without a head.",
      ),
    cap !== null &&
      t(
        "This model caps its logits: c · tanh(logit / c) with c = {cap}. The contributions add up to the logit before the cap; the cap keeps the order of the logits.",
        { cap: String(cap) },
      ),
  ]
    .filter((text) => typeof text === "string")
    .map((text) => el("p", { class: "note" }, text));
}

/**
 * @param {string} name
 * @param {string} value
 * @param {{row?: string, cell?: string}} [classes]
 * @param {HTMLElement | null} [bar]
 */
function sumRow(name, value, { row, cell } = {}, bar = null) {
  const cells = [el("th", { scope: "row" }, name), el("td", {}, value), el("td", { class: cell }, bar)];
  return el("tr", { class: row }, ...cells);
}
