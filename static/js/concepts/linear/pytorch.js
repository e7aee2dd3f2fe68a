/** The linear layer in PyTorch: at work, freshly initialised, with and without bias, and in known models. */

import { tensor } from "../../base/code/python_code.js";

/** @typedef {import("./state.js").LinearData} LinearData */
/** @typedef {import("../../base/code/python_code.js").Literal} Literal */

/** Decimal places of random numbers: those of float32. */
const PLACES = 7;

/** @param {LinearData} data @returns {string[]} */
export function pytorch(data) {
  return { layer, start, bias, models }[data.state.view](data);
}

/** @param {LinearData} data */
function layer({ answer }) {
  const { inputs, weight, bias: biases } = answer;
  return [
    "import torch",
    "from torch import nn",
    "",
    ...tensor("x", rounded(inputs)),
    `layer = nn.Linear(${weight[0].length}, ${weight.length}${biases ? "" : ", bias=False"})`,
    ...tensor("layer.weight.data", rounded(weight)),
    ...(biases ? tensor("layer.bias.data", rounded(biases)) : []),
    "with torch.no_grad():",
    "    print(layer(x))",
    `    print(x @ layer.weight.T${biases ? " + layer.bias" : ""})  # the same by hand`,
    "print(sum(one.numel() for one in layer.parameters()))",
  ];
}

/** @param {LinearData} data */
function start({ state }) {
  const { rows, seed } = state;
  return [
    "import math",
    "import torch",
    "from torch import nn",
    "",
    `for fan_in in [${[...new Set(state.sizes.map(Math.round))].join(", ")}]:`,
    `    torch.manual_seed(${seed})`,
    `    layer = nn.Linear(fan_in, ${rows})`,
    "    bound = math.sqrt(6 / ((1 + math.sqrt(5) ** 2) * fan_in))  # Kaiming with a = √5",
    "    print(bound, bound / math.sqrt(3))  # 1/√fan_in, and the standard deviation expected",
    "    print(layer.weight.std().item())",
    "    print(layer.bias.min().item(), layer.bias.max().item())",
  ];
}

/** @param {LinearData} data */
function bias({ state }) {
  const { dModel, dK, seed, sequence } = state;
  return [
    "import torch",
    "import torch.nn.functional as F",
    "from torch import nn",
    "",
    `torch.manual_seed(${seed})`,
    `w_q, w_k = nn.Linear(${dModel}, ${dK}), nn.Linear(${dModel}, ${dK})`,
    `x = torch.randn(2, 4, ${dModel})[${sequence}]`,
    "with torch.no_grad():",
    "    print(w_q(x) @ w_k(x).T)  # scores with biases",
    "    print(F.linear(x, w_q.weight) @ F.linear(x, w_k.weight).T)  # without",
  ];
}

function models() {
  return [
    "import torch",
    "from transformers.models.llama.modeling_llama import LlamaAttention, LlamaConfig",
    "from transformers.models.whisper.modeling_whisper import WhisperAttention, WhisperConfig",
    "",
    'with torch.device("meta"):  # modules without numbers',
    "    llama = LlamaAttention(LlamaConfig(), layer_idx=0)",
    "    whisper = WhisperAttention(384, 6, config=WhisperConfig())",
    "print([one.bias is not None for one in (llama.q_proj, llama.k_proj, llama.v_proj)])",
    "print([one.bias is not None for one in (whisper.q_proj, whisper.k_proj, whisper.v_proj)])",
  ];
}

/** @param {unknown[]} values @returns {Literal[]} */
function rounded(values) {
  return values.map((value) => (Array.isArray(value) ? rounded(value) : Number(Number(value).toFixed(PLACES))));
}
