/** The block in PyTorch: our own with its weights, or a pretrained one with transformers alone. */

import { decoderCode } from "../frame/decoder_code.js";
import { FORMS } from "../frame/core/decoder_forms.js";
import { literal } from "../../base/code/python_code.js";
import { modelCode, runCode } from "../../base/code/transformers_code.js";
import { deviationOf, keptHeads } from "./state.js";

/** @param {import("./state.js").BlockData} data @returns {string[]} */
export function pytorch({ state, answer }) {
  const { model, text, layer, token, form, seed, width, heads } = state;
  if (model) {
    return [
      ...modelCode(model),
      "",
      ...runCode(literal(text), { hasStates: true }),
      `print(output.hidden_states[${layer}][0, ${token}])  # what block ${layer} gets for token ${token}`,
      `print(output.attentions[${layer}][0, :, ${token}])  # what its heads attend to from there`,
    ];
  }
  const ids = answer.tokens.map(({ id }) => id);
  return [
    ...decoderCode({
      form,
      qkNorm: FORMS[form].qkNorm,
      before: false,
      width: Number(width),
      heads: Number(heads),
      kvHeads: keptHeads(state),
      layers: answer.layers,
      vocabulary: Math.max(...ids) + 1,
      longest: ids.length,
      ids,
      seed,
      std: deviationOf(state),
    }),
    `for block in blocks[:${layer}]:`,
    "    x = block(x)",
    `print(x[${token}])  # what block ${layer} gets`,
    `y = x + blocks[${layer}].attention(norm(x))`,
    `print(y[${token}])  # after attention`,
    `z = y + blocks[${layer}].feed_forward(norm(y))`,
    `print(z[${token}])  # after the feed-forward layer`,
  ];
}
