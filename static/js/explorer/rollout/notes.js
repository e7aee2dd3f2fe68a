/** What rollout and flow are, whose they are, and what they do not tell. */

import { el } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/** @returns {HTMLElement} */
export function rolloutNotes() {
  const term = (/** @type {string} */ name, /** @type {string} */ text) => [el("dt", {}, name), el("dd", {}, text)];
  return el(
    "div",
    { class: "rollout-notes" },
    el(
      "dl",
      {},
      ...term(
        t("Rollout"),
        t(
          "½ the heads' mean weights + ½ the identity (the residual connection), multiplied over the layers up to this one: shares that add up to 1 over all input tokens, hidden ones included.",
        ),
      ),
      ...term(
        t("Flow"),
        t(
          "The largest flow from the query down to one input token, with the same numbers as capacities of the pipes between layers; computed for each token by itself, so the flows add up to no fixed sum.",
        ),
      ),
      ...term(t("Source"), "Abnar & Zuidema (2020), Quantifying Attention Flow in Transformers, arXiv:2005.00928."),
      ...term(
        t("What neither tells"),
        t(
          "Values, output projections, norms and feed-forward layers are left out, every head counts the same, and the residual's share is set to ½, not measured. A large number says that attention leads there, not that the prediction rests on it.",
        ),
      ),
    ),
  );
}

/** @returns {string} why there is none between two texts */
export function betweenTexts() {
  return t(
    "Cross-attention leads from one text to another: there is no chain over its layers, so neither rollout nor flow. Choose another part of the model.",
  );
}
