/** What every head and every layer writes straight into one logit; all of it adds up to that logit. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { matrixMark } from "../../charts/matrix.js";
import { fixed } from "../../base/numbers.js";
import { digitsFor, kindOf, largest, rounded, signed } from "../widgets/signed_shares.js";
import { headSharesView } from "./head_shares.js";

/** @typedef {import("../../api/output.js").DirectEffect} DirectEffect */

/**
 * @typedef {object} DirectEffectData
 * @property {DirectEffect} effect
 * @property {string} output  what the shares are of, in words
 * @property {number} layer
 * @property {number} head
 * @property {0 | 1} numbering
 * @property {object} palette
 */

/**
 * @param {HTMLElement} element
 * @param {DirectEffectData} data
 * @param {import("./head_shares.js").HeadSharesOptions} options
 * @returns {import("../../api/types.js").View<DirectEffectData>}
 */
export function directEffectView(element, data, options) {
  const [heads, layers, sum] = [el("div", { class: "shares" }), el("div"), el("div", { class: "effect-sum" })];
  const beside = el(
    "div",
    { class: "effect-layers" },
    el("h3", { class: "output-title" }, t("What belongs to no head")),
    layers,
  );
  fill(element, heads, el("div", { class: "effect-columns" }, beside, sum));
  const shares = headSharesView(heads, ofHeads(data), options);
  const mark = matrixMark(layers, ofLayers(data));

  /** @param {DirectEffectData} next */
  function ofHeads({ effect, output, layer, head, numbering, palette }) {
    const title = t("Direct effect of each head on {output}", { output });
    return { title, values: effect.heads, layer, head, numbering, palette };
  }

  /** @param {DirectEffectData} next */
  function ofLayers({ effect: { attention_bias: bias, feed_forward: forward }, numbering }) {
    const digits = digitsFor([...bias, ...forward]);
    return {
      title: t("Direct effect of each layer's biases and feed-forward layer"),
      values: bias.map((value, layer) => [rounded(value, digits), rounded(forward[layer], digits)]),
      rows: bias.map((_, layer) => String(layer + numbering)),
      columns: [t("attention bias"), t("feed-forward")],
      scale: /** @type {const} */ ("signed"),
      digits,
      axes: t("layer ↓"),
    };
  }

  draw(data);
  /** @param {DirectEffectData} next */
  function draw({ effect, output }) {
    fill(sum, el("h3", { class: "output-title" }, t("The sum")), sumTable(effect, output));
  }

  return {
    update(next) {
      shares.update(ofHeads(next));
      mark.update(ofLayers(next));
      draw(next);
    },
    destroy() {
      shares.destroy();
      mark.destroy();
      element.replaceChildren();
    },
  };
}

/**
 * @param {DirectEffect} effect
 * @param {string} output
 */
function sumTable({ heads, attention_bias, feed_forward, embedding, constant, total, logit }, output) {
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
    el("caption", { class: "visually-hidden" }, t("All shares, and their sum")),
    el(
      "tbody",
      {},
      ...parts.map(([name, value]) => {
        const bar = el("span", { class: `effect-bar ${kindOf(value)}`, "aria-hidden": "true" });
        bar.style.setProperty("--share", String(Math.abs(value) / most));
        return el(
          "tr",
          {},
          el("th", { scope: "row" }, name),
          el("td", {}, signed(value, 3)),
          el("td", { class: "effect-side" }, bar),
        );
      }),
      el(
        "tr",
        { class: "is-total" },
        el("th", { scope: "row" }, t("together")),
        el("td", {}, fixed(total, 3)),
        el("td", {}),
      ),
      el(
        "tr",
        {},
        el("th", { scope: "row" }, t("the model's own {output}", { output })),
        el("td", {}, fixed(logit, 3)),
        el("td", {}),
      ),
    ),
  );
}
