/** Three projections and the attention between them in PyTorch; or three tensors, two of them exchanged. */

import { nonNull } from "../../base/non_null.js";
import { literal, tensor } from "../../base/code/python_code.js";
import { modelCode, runCode } from "../../base/code/transformers_code.js";
import { MINILM } from "../../wording/model_names.js";
import { tokenNames } from "./names.js";

/** @param {import("./state.js").ProjectionsData} data @returns {string[]} */
export function pytorch(data) {
  if (data.state.view === "model") return model(data);
  return [
    "import torch",
    "import torch.nn.functional as F",
    "",
    ...(data.state.view === "roles" ? roles : three)(data),
  ];
}

/** @param {import("./state.js").ProjectionsData} data */
function three({ state }) {
  const { inputs, wq, wk, wv } = state;
  return [
    `# tokens: ${tokenNames(state).join(", ")}`,
    ...tensor("x", inputs),
    ...tensor("w_q", wq),
    ...tensor("w_k", wk),
    ...tensor("w_v", wv),
    "q, k, v = F.linear(x, w_q), F.linear(x, w_k), F.linear(x, w_v)  # x @ w.T, as nn.Linear(…, bias=False) does",
    "weights = (q @ k.T / k.size(-1) ** 0.5).softmax(-1)",
    "print(weights)",
    "print(F.scaled_dot_product_attention(q, k, v))  # weights @ v",
  ];
}

/** One head of a layer, from the vectors that the layer gets. @param {import("./state.js").ProjectionsData} data */
function model({ state: { sentence, layer, head }, answer }) {
  const size = answer.queries[0].length;
  return [
    ...modelCode(MINILM),
    "",
    ...runCode(literal(sentence), { hasStates: true }),
    `x = output.hidden_states[${layer}][0]  # what layer ${layer} gets`,
    `own = model.encoder.layer[${layer}].attention.self  # nn.Linear(384, 384): query, key and value of all heads`,
    `part = slice(${head * size}, ${(head + 1) * size})  # head ${head}`,
    "q, k, v = own.query(x)[:, part], own.key(x)[:, part], own.value(x)[:, part]",
    "weights = (q @ k.T / k.size(-1) ** 0.5).softmax(-1)",
    "print(weights)",
    "print(weights @ v)",
  ];
}

/** The order in which A, B and C are handed over as query, key and value. */
const ORDERS = { none: "A, B, C", keys_values: "A, C, B", queries_keys: "B, A, C", queries_values: "C, B, A" };

/** @param {import("./state.js").ProjectionsData} data */
function roles({ state, others: [further] }) {
  const { stages } = nonNull(further);
  return [
    ...tensor("A", stages.queries),
    ...tensor("B", stages.keys),
    ...tensor("C", stages.values),
    "print(F.scaled_dot_product_attention(A, B, C))  # in place",
    `print(F.scaled_dot_product_attention(${ORDERS[state.swap]}))  # exchanged`,
  ];
}
