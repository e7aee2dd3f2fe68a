/** What the word attends to, and the cosines of its vectors, with transformers alone. */

import { literal } from "../../base/code/python_code.js";
import { modelCode, runCode } from "../../base/code/transformers_code.js";
import { request } from "./state.js";

/** @param {import("./state.js").ContextData} data @returns {string[]} */
export function pytorch({ state, answer }) {
  const { model, layer, head, first, second } = state;
  const texts = request(state).texts.map(({ text }) => text);
  return [
    ...modelCode(model),
    "",
    "def word(text, tokens):",
    '    """What the word at these tokens attends to, and its vector after each layer."""',
    ...runCode("text", { hasStates: true }).map((line) => `    ${line}`),
    "    weights = torch.cat(output.attentions)[:, :, tokens].mean(2)  # layers × heads × keys",
    "    return weights, torch.cat(output.hidden_states)[:, tokens].mean(1)",
    "",
    `a, h_a = word(${literal(texts[first])}, ${literal(answer.words[first].word_tokens, { whole: true })})`,
    `b, h_b = word(${literal(texts[second])}, ${literal(answer.words[second].word_tokens, { whole: true })})`,
    ...["a", "b"].map((name) =>
      head < 0
        ? `print(${name}[${layer}].mean(0))  # layer ${layer}, mean of the heads`
        : `print(${name}[${layer}, ${head}])  # layer ${layer}, head ${head}`,
    ),
    "print(torch.cosine_similarity(h_a, h_b, dim=-1))  # with position, then after each layer",
  ];
}
