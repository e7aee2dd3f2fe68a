/** The weights of the sentence shown with transformers alone, between tokens or between words. */

import { exampleOf, placeOf, RELATION } from "./state.js";
import { literal } from "../../base/code/python_code.js";
import { modelCode, runCode } from "../../base/code/transformers_code.js";

/** @param {import("./state.js").RolesData} data @returns {string[]} */
export function pytorch(data) {
  const { layer, head } = placeOf(data);
  const { text, words } = exampleOf(data);
  const lines = modelCode(data.state.model);
  if (data.state.role !== RELATION) {
    return [
      ...lines,
      "",
      ...runCode(literal(text)),
      `weights = output.attentions[${layer}][0, ${head}]  # queries × keys; layers and heads count from 0`,
      "print(weights)",
    ];
  }
  return [
    ...lines,
    "",
    `text = ${literal(text)}`,
    `words = [${words.map((word) => literal(word)).join(", ")}]`,
    'inputs = tokenizer(text, return_tensors="pt", return_offsets_mapping=True)',
    'spans = inputs.pop("offset_mapping")[0].tolist()',
    `weights = model(**inputs, output_attentions=True).attentions[${layer}][0, ${head}]`,
    "tokens, end = [], 0",
    "for word in words:",
    "    start = text.index(word, end)",
    "    end = start + len(word)",
    "    tokens.append([i for i, (a, b) in enumerate(spans) if a < end and start < b])",
    "weights = torch.stack([weights[:, one].sum(-1) for one in tokens], -1)  # to words …",
    "weights = torch.stack([weights[one].mean(0) for one in tokens])  # … and from words",
    "print(weights)",
  ];
}
