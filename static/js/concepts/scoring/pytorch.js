/** The lab in PyTorch: scores by the chosen mechanism, weights, output; and those of a known bug, if one is beside them. */

import { literal, tensor } from "../../base/python_code.js";
import { isRuledOut } from "./numbers.js";

/** @typedef {import("./numbers.js").Traced} Traced */
/** @typedef {Readonly<import("./state.js").ScoringState>} ScoringState */

/** @param {import("./numbers.js").ScoringData} data @returns {string[]} */
export function pytorch({ state, first, second }) {
  const { temperature, precision, mechanism } = state;
  const isShort = precision.endsWith("16");
  const bug = second ? state.beside : "none";
  return [
    "import torch",
    ...(mechanism === "cosine" ? ["import torch.nn.functional as F"] : []),
    "",
    ...tensor("Q", state.queries),
    ...tensor("K", state.keys),
    ...tensor("V", state.values),
    ...(isShort ? [`Q, K, V = (x.to(torch.${precision}) for x in (Q, K, V))`] : []),
    ...(bug === "soft_mask" && precision === "float64" ? DOUBLE : []),
    ...(state.position === "rope" ? rotated(state) : []),
    ...scores(mechanism, first, isShort ? `.to(torch.${precision})` : ""),
    ...cooled(temperature),
    ...(first.bias ? [...tensor("bias", first.bias), "scores = scores + bias"] : []),
    ...allowedKeys(state, first),
    ...(bug === "soft_mask" ? ["wrong = (scores + torch.where(allowed, 0.0, -1e5)).softmax(-1)"] : []),
    ...(first.mask ? [HIDE] : []),
    "weights = scores.softmax(-1)",
    ...(first.masked_scores.some(isRuledOut) ? ["weights = weights.nan_to_num(0)  # softmax of −∞ alone is NaN"] : []),
    "print(weights)",
    "print(weights @ V)",
    ...buggy(bug, state, first),
  ];
}

/** −1e5 + 0.5 needs more digits than float32 has. */
const DOUBLE = ["Q, K, V = Q.double(), K.double(), V.double()"];
const HIDE = "scores = scores.masked_fill(~allowed, -torch.inf)";
const PRINT_WRONG = ["print(wrong)", "print(wrong @ V)"];

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

/** @param {ScoringState["mechanism"]} mechanism @param {Traced} numbers @param {string} cast */
function scores(mechanism, { additive }, cast) {
  if (mechanism === "cosine") return ["scores = F.cosine_similarity(Q[:, None], K[None], dim=-1)"];
  if (mechanism === "dot") return ["scores = Q @ K.T"];
  if (mechanism === "scaled_dot" || !additive) return ["scores = Q @ K.T / K.size(-1) ** 0.5"];
  return [
    ...tensor("W_q", additive.query_weight),
    ...tensor("W_k", additive.key_weight),
    ...(additive.bias ? tensor("b", additive.bias) : ["b = torch.tensor(0.0)"]),
    ...tensor("w", additive.combine),
    ...(cast ? [`W_q, W_k, b, w = (x${cast} for x in (W_q, W_k, b, w))`] : []),
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
    "    positions = torch.arange(start, start + x.size(0))[:, None]",
    "    angles = positions * 10000.0 ** (-torch.arange(0, x.size(1), 2) / x.size(1))",
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
        mask.map((row) => row.map((one) => one === 0)),
      );
}
