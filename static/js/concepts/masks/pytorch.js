/** The weights of a masked softmax in PyTorch. */

import { tensor } from "../../base/code/python_code.js";
import { fitted } from "./state.js";

/** @param {import("./state.js").MasksData} data @returns {string[]} */
export function pytorch({ state }) {
  const { scores, kind, causal } = state;
  const isCausalToo = causal && (kind === "padding" || kind === "custom");
  return [
    "import torch",
    "",
    ...tensor("scores", scores),
    "i = torch.arange(scores.size(0))[:, None]  # queries",
    "j = torch.arange(scores.size(1))  # keys",
    ...allowed(state),
    ...(isCausalToo ? ["allowed = allowed & (j <= i)"] : []),
    "masked = scores.masked_fill(~allowed, -torch.inf)",
    "weights = masked.softmax(-1)",
    "weights = weights.masked_fill(~allowed.any(-1, keepdim=True), 0)  # softmax of −∞ alone is NaN; here it is 0",
    "print(weights)",
  ];
}

/** @param {Readonly<import("./state.js").MasksState>} state @returns {string[]} */
function allowed(state) {
  const { kind, window, back, prefix, first, second, sentence, scores } = state;
  switch (kind) {
    case "causal":
      return ["allowed = j <= i"];
    case "sliding_window":
      return [back ? `allowed = (j <= i) & (i - j < ${window})` : `allowed = (i - j).abs() < ${window}`];
    case "prefix":
      return [`allowed = (j <= i) | (j < ${prefix})`];
    case "padding":
      return [`allowed = (j < ${[first, second][Number(sentence)]}).expand(scores.shape)`];
    case "custom":
      return tensor(
        "allowed",
        fitted(state.allowed, scores).map((row) => row.map(Boolean)),
      );
    default:
      return ["allowed = torch.ones(scores.shape, dtype=torch.bool)"];
  }
}
