/** Why an output has no graph of information flow. */

import { isUploaded, isWeightsOnly } from "../../api/analyses.js";
import { t } from "../../base/i18n.js";
import { grouped } from "../../base/numbers.js";
import { saying } from "../state/chosen_output.js";

/** @typedef {import("../widgets/panel.js").Scene} Scene */

/** Why nothing can be taken apart; "" if it can. @param {Scene["analysis"]} analysis */
export function untraceable(analysis) {
  if (isUploaded(analysis.id))
    return t("No model ran here on these tensors, so there is no residual stream to take apart.");
  return isWeightsOnly(analysis) ? t("Weights only: this model's output cannot be traced to them.") : "";
}

/**
 * Why there is no graph; "" where there is one.
 * @param {number} most  tokens that may reach the output, 0 if none
 * @param {Scene["analysis"]} analysis
 * @param {Scene["part"]} part
 * @param {number} position
 * @returns {string}
 */
export function obstacleTo(most, analysis, { causal }, position) {
  const model = analysis.model.title;
  if (most === 0 && analysis.target_tokens) {
    return t(
      "{model} has two residual streams, and cross-attention carries parts of the encoder’s into the decoder’s: the graph takes one stream apart.",
      { model },
    );
  }
  if (most === 0) {
    return t(
      "The blocks of {model} cannot be taken apart here: BERT, RoBERTa, DistilBERT, ModernBERT, GPT-2, GPT-Neo, GPT-NeoX, GPT-J, CodeGen, OPT, BLOOM, MPT, Falcon, Phi, Llama, Gemma 1 to 3, Mistral, OLMo 2 and 3, Qwen 2 and 3 and ViT can.",
      { model },
    );
  }
  const count = causal ? position + 1 : saying(analysis).length;
  if (count <= most) return "";
  return t(
    "{count} tokens can reach this output, and the graph is computed for {most}: choose an earlier token of a decoder, or shorten the text.",
    { count: grouped(count), most: grouped(most) },
  );
}
