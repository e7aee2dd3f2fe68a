/** Notes on rollout and flow: definitions, sources and limits. */

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
          "½ × mean weights of the heads + ½ × identity (the residual connection), multiplied over the layers up to this one. The shares add up to 1 over all input tokens, hidden ones included; in a model with learned sinks to less, by what these take.",
        ),
      ),
      ...term(
        t("Flow"),
        t(
          "The maximum flow from the query down to one input token, with the same numbers as edge capacities between layers. It is computed for each token separately, so the flows have no fixed sum.",
        ),
      ),
      ...term(t("Source"), "Abnar & Zuidema (2020), Quantifying Attention Flow in Transformers, arXiv:2005.00928."),
      ...term(
        t("What neither shows"),
        t(
          "Values, output projections, norms and feed-forward layers are ignored, every head counts equally, and the residual's share is fixed at ½, not measured. A large number says that attention leads there, not that the prediction depends on it.",
        ),
      ),
    ),
  );
}

/** @returns {string} why there is none between two texts */
export function betweenTexts() {
  return t(
    "Cross-attention leads from one text to another, so its layers form no chain and have neither rollout nor flow. Choose another part of the model.",
  );
}
