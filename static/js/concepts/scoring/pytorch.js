/** The lab in PyTorch: scores by the chosen mechanism, weights, output; and those of a known bug, if one is beside them. */

import { literal, tensor } from "../../base/code/python_code.js";
import { isRuledOut } from "./numbers.js";

/** @typedef {import("./numbers.js").Traced} Traced */
/** @typedef {Readonly<import("./state.js").ScoringState>} ScoringState */

/** What tensors are made with; float32 is torch's own choice. */
const DTYPE = { float64: "dtype", float32: "", bfloat16: "dtype", float16: "dtype" };

/** @param {import("./numbers.js").ScoringData} data @returns {string[]} */
export function pytorch({ state, first, second }) {
  const { temperature, precision, mechanism } = state;
  const made = { dtype: DTYPE[precision] };
  const bug = second ? state.beside : "none";
  return [
    "import torch",
    ...(mechanism === "cosine" ? ["import torch.nn.functional as F"] : []),
    "",
    ...(made.dtype ? [`dtype = torch.${precision}`] : []),
    ...tensor("Q", state.queries, made),
    ...tensor("K", state.keys, made),
    ...tensor("V", state.values, made),
    ...(state.position === "rope" ? rotated(state) : []),
    ...scores(mechanism, first, made),
    ...cooled(temperature),
    ...(first.bias ? [...tensor("bias", first.bias, made), "scores = scores + bias"] : []),
    ...allowedKeys(state, first),
    ...(second && bug === "soft_mask" ? softly(second) : []),
    ...(first.mask ? [HIDE] : []),
    "weights = scores.softmax(-1)",
    ...(first.masked_scores.some(isRuledOut) ? ["weights = weights.nan_to_num(0)  # softmax of −∞ alone is NaN"] : []),
    "print(weights)",
    "print(weights @ V)",
    ...buggy(bug, state, first),
  ];
}

const HIDE = "scores = scores.masked_fill(~allowed, -torch.inf)";
const PRINT_WRONG = ["print(wrong)", "print(wrong @ V)"];

/** Scores with −1e5, as the precision has it, where nothing may be read: −∞ in float16. @param {Traced} wrong */
function softly({ masked_scores: scores }) {
  const repaired = scores.some(isRuledOut) ? ".nan_to_num(0)" : "";
  return [`wrong = (scores + torch.where(allowed, 0.0, -1e5).to(scores.dtype)).softmax(-1)${repaired}`];
}

/**
 * The same with a bug, from what the code above has computed.
 * @param {ScoringState["beside"]} bug
 * @param {ScoringState} state
 * @param {Traced} numbers
 */
function buggy(bug, { temperature }, { bias, mask }) {
  switch (bug) {
    case "unscaled":
      return [
        "",
        "scores = Q @ K.T  # the bug: no 1/√d",
        ...cooled(temperature),
        ...(bias ? ["scores = scores + bias"] : []),
        ...(mask ? [HIDE] : []),
        `wrong = scores.softmax(-1)${mask ? ".nan_to_num(0)" : ""}`,
        ...PRINT_WRONG,
      ];
    case "wrong_axis":
      return [
        "",
        `wrong = scores.softmax(0)${mask ? ".nan_to_num(0)" : ""}  # the bug: down the columns`,
        ...PRINT_WRONG,
      ];
    case "soft_mask":
      return ["", "# the bug: −1e5 in place of −∞", ...PRINT_WRONG];
    default:
      return [];
  }
}

/** @param {number} temperature */
function cooled(temperature) {
  return temperature === 1 ? [] : [`scores = scores / ${literal(temperature)}  # temperature`];
}

/** @param {ScoringState["mechanism"]} mechanism @param {Traced} numbers @param {{dtype: string}} made */
function scores(mechanism, { additive }, made) {
  if (mechanism === "cosine") return ["scores = F.normalize(Q, dim=-1) @ F.normalize(K, dim=-1).T"];
  if (mechanism === "dot") return ["scores = Q @ K.T"];
  if (mechanism === "scaled_dot" || !additive) return ["scores = Q @ K.T / K.size(-1) ** 0.5"];
  return [
    ...tensor("W_q", additive.query_weight, made),
    ...tensor("W_k", additive.key_weight, made),
    ...tensor("b", additive.bias ?? [0], made),
    ...tensor("w", additive.combine, made),
    "scores = torch.tanh((Q @ W_q.T)[:, None] + (K @ W_k.T)[None] + b) @ w",
  ];
}

/** Rotary positions; fewer queries than keys are at the last positions. @param {ScoringState} state */
function rotated({ queries, keys, pairing }) {
  const isSplit = pairing === "half_split";
  const begin = Math.max(keys.length - queries.length, 0);
  return [
    "",
    "def rope(x, start):",
    "    positions = torch.arange(start, start + x.size(0), dtype=torch.float64)[:, None]",
    "    angles = positions * 10000.0 ** (-torch.arange(0, x.size(1), 2, dtype=torch.float64) / x.size(1))",
    `    a, b = ${isSplit ? "x.chunk(2, -1)" : "x[:, 0::2], x[:, 1::2]"}`,
    "    pairs = [a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()]",
    `    return ${isSplit ? "torch.cat(pairs, -1)" : "torch.stack(pairs, -1).flatten(1)"}.to(x.dtype)`,
    "",
    `Q, K = rope(Q, ${begin}), rope(K, 0)`,
  ];
}

/** @param {ScoringState} state @param {Traced} numbers */
function allowedKeys({ mask: kind, queries, keys }, { mask }) {
  if (!mask) return [];
  const behind = keys.length - queries.length;
  return kind === "causal"
    ? [`allowed = torch.ones(scores.shape, dtype=torch.bool).tril(${behind === 0 ? "" : behind})`]
    : tensor(
        "allowed",
        mask.map((row) => row.map((value) => value === 0)),
      );
}
