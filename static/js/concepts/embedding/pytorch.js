/** A text's ids and their rows in PyTorch, from the same model. */

import { literal } from "../../base/code/python_code.js";
import { modelCode } from "../../base/code/transformers_code.js";

/** @param {import("./state.js").EmbeddingData} data @returns {string[]} */
export function pytorch({ state, answer }) {
  const { model, token, other } = state;
  const [rows, dimensions] = answer.table_shape;
  return [
    ...modelCode(model),
    "",
    `ids = tokenizer(${literal(state.text)}, return_tensors="pt").input_ids`,
    `table = model.get_input_embeddings()  # nn.Embedding(${rows}, ${dimensions})`,
    "vectors = table(ids)  # the same as table.weight[ids]",
    "print(ids, vectors.shape)",
    `print(vectors[0, ${token}])`,
    `print(torch.cosine_similarity(vectors[0, ${token}], vectors[0, ${other}], dim=0))`,
  ];
}
