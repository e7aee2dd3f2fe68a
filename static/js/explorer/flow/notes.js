/** Notes on information flow: definition, source and limits; and what the signs in the graph mean. */

import { el, smallButton, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { sayMaths } from "../../base/maths/maths_text.js";
import { kindClass } from "./graph_picture.js";
import { kindName } from "./words.js";

const KINDS = /** @type {const} */ (["head", "feed_forward", "residual"]);

/** @returns {HTMLElement} */
export function flowLegend() {
  const samples = KINDS.map((kind) =>
    el(
      "span",
      { class: "flow-sign" },
      svg(
        "svg",
        { width: 28, height: 10, viewBox: "0 0 28 10", "aria-hidden": "true" },
        svg("path", { d: "M1,5L27,5", class: `flow-edge is-${kindClass(kind)}`, "stroke-width": 3 }),
      ),
      kind === "residual" ? t("residual stream (straight up)") : kindName(kind),
    ),
  );
  return el("p", { class: "flow-legend note" }, ...samples, el("span", {}, t("width: importance")));
}

/**
 * @param {(() => void) | null} onPatching  opens the view that tests causes; null in a file
 * @returns {HTMLElement}
 */
export function flowNotes(onPatching) {
  const term = (/** @type {string} */ name, /** @type {string} */ text) => {
    const words = el("dd");
    sayMaths(words, text);
    return [el("dt", {}, name), words];
  };
  return el(
    "div",
    { class: "rollout-notes flow-notes" },
    el(
      "dl",
      {},
      ...term(
        t("Definition"),
        t(
          "After each attention and each feed-forward layer, the residual stream y of a token is a sum: the stream before, what each head brings from each token (weight × value, through the output projection), the feed-forward layer, and biases. A part z has the proximity max(0, ‖y‖₁ − ‖y − z‖₁); divided by the sum over all parts it is its importance. From the output downwards, every part at or above the threshold becomes an edge.",
        ),
      ),
      ...term(
        t("Source"),
        "Ferrando & Voita (2024), Information Flow Routes: Automatically Interpreting Language Models at Scale, arXiv:2403.00824.",
      ),
      ...term(
        t("Not to be confused with"),
        t("The attention flow under Rollout (Abnar & Zuidema 2020) is a maximum flow of weights alone."),
      ),
      ...term(
        t("Post-norm"),
        t(
          "Where a norm follows the sum, as in BERT, every part passes through the norm with its scale σ held fixed, and the norm’s bias counts among the biases (Ferrando et al. 2022, arXiv:2203.04212).",
        ),
      ),
      ...term(
        t("What it does not show"),
        t(
          "Importance says how much of a vector a part makes up, not what would happen without it: contributions are not causal effects. Test a route by switching its head off or cutting its edge under “What if …”, or by patching. Parts that oppose the sum have importance 0.",
        ),
      ),
      onPatching && el("dd", {}, smallButton(t("Test causes by patching"), onPatching)),
    ),
  );
}
