/** The formula and the steps of the KV cache, with the numbers of the configuration or of one decoding step. */

import { t } from "../../base/i18n.js";
import { formula, inline, name, number, row, sub } from "../../base/maths/mathml.js";
import { bytes, exact, grouped } from "../../base/numbers.js";

/** @typedef {import("./state.js").KVCacheData} KVCacheData */

/** @param {number} value */
const n = (value) => number(grouped(value));
/** @param {...(Element | number)} parts */
const product = (...parts) =>
  parts.flatMap((part, index) => [...(index ? ["·"] : []), typeof part === "number" ? n(part) : part]);

/**
 * @param {KVCacheData} data
 * @returns {import("../frame/concept.js").Scene}
 */
export function calculation(data) {
  const [layers, heads, dim, size] = ["L", "H", "d", "B"].map((letter) => name(letter));
  const kept = sub(heads, row(name("k"), name("v")));
  const general = formula(name(t("bytes per token")), "=", ...product(2, layers, kept, dim, size));
  const steps = data.state.view === "memory" ? memory(data.answer) : decoding(data);
  return { formulas: [general], steps, table: null };
}

/** @param {import("./state.js").KVCacheAnswer} answer */
function memory(answer) {
  const { layers, kv_heads: kept, head_dim: dim, bytes_per_value: size, batch, seq_len: tokens } = answer;
  return [
    {
      name: t("Numbers"),
      says: t("Of one token in one layer: a key and a value for each KV head."),
      line: inline(...product(2, kept, dim), "=", n(answer.numbers_per_token_and_layer)),
    },
    {
      name: t("A token"),
      says: t("In all layers, at {size} bytes per number: {total}.", { size, total: bytes(answer.bytes_per_token) }),
      line: inline(...product(answer.numbers_per_token_and_layer, layers, size), "=", n(answer.bytes_per_token)),
    },
    {
      name: t("A layer"),
      says: t("All tokens of the batch in one layer: {total}.", { total: bytes(answer.bytes_per_layer) }),
      line: inline(...product(answer.numbers_per_token_and_layer, size, batch, tokens), "=", n(answer.bytes_per_layer)),
    },
    {
      name: t("All of it"),
      says: saving(answer),
      line: inline(...product(answer.bytes_per_token, batch, tokens), "=", n(answer.bytes_total)),
    },
  ];
}

/** @param {import("./state.js").KVCacheAnswer} answer */
function saving({ bytes_total: bytesTotal, times_smaller_than_mha: times }) {
  const total = bytes(bytesTotal);
  return times === 1
    ? t("{total}: every query head has its own keys and values, so nothing is saved.", { total })
    : t("{total}, {times} times less than if every head had its own keys and values.", { total, times });
}

/** @param {KVCacheData} data */
function decoding({ state, others: [decoded] }) {
  if (!decoded) return [];
  const step = decoded.steps[Math.min(state.part, decoded.steps.length - 1)];
  return [
    {
      name: t("Stored"),
      says: t("Before this step {stored} tokens are cached; {added} arrive.", {
        stored: step.stored,
        added: step.new,
      }),
      line: inline(n(step.stored), "+", n(step.new), "=", n(step.stored + step.new)),
    },
    {
      name: t("Computed"),
      says: t("Keys and values over all steps: {cached} with the cache, {uncached} without.", {
        cached: decoded.projected_with_cache,
        uncached: decoded.projected_without_cache,
      }),
      line: inline(n(decoded.projected_with_cache), "<", n(decoded.projected_without_cache)),
    },
    {
      name: t("The same"),
      says: t("Largest difference between this step's output and that of processing everything at once."),
      line: inline(number(exact(step.largest_difference))),
    },
  ];
}
