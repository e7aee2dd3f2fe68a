/** The whole decoder in PyTorch: every block's output, and the probabilities of the next token. */

import { decoderCode } from "../frame/decoder_code.js";
import { FORMS } from "../frame/core/decoder_forms.js";

/** @param {import("./state.js").DecoderData} data @returns {string[]} */
export function pytorch({ state, answer }) {
  const { config, vocabulary, ids } = answer;
  const { logitCap: cap } = FORMS[config.form];
  const logits = "norm(x) @ head.T";
  return [
    ...decoderCode({
      form: config.form,
      qkNorm: /** @type {"rms" | "l2" | null} */ (config.qk_norm),
      before: config.qk_norm_before_rope,
      width: config.d_model,
      heads: config.num_heads,
      kvHeads: config.num_kv_heads,
      layers: config.num_layers,
      vocabulary: vocabulary.length,
      longest: ids.length + 1,
      ids,
      seed: state.seed,
      std: 0.2, // as the API has it unless asked for another
    }),
    "for block in blocks:",
    "    x = block(x)",
    "    print(x)",
    cap === null ? `print((${logits}).softmax(-1))` : `print((${cap} * (${logits} / ${cap}).tanh()).softmax(-1))`,
  ];
}
