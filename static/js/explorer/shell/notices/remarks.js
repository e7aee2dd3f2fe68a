/** Why a map may look the way it does, for the cases people ask about most. */

import { isWeightsOnly } from "../../../api/analyses.js";
import { t } from "../../../base/i18n.js";
import { uniformEntropy } from "../../state/measures/uniform_entropy.js";
import { fixed, grouped } from "../../../base/numbers.js";

/** @typedef {import("../../../api/types.js").Part} Part */
/** @typedef {{code: string, text: string}} Remark */
/** @typedef {Pick<Part, "metrics" | "causal" | "key_tokens" | "stages"> & Partial<Pick<Part, "sink_shares">>} Measured */

/** Share of a head's weight from which a map is said to rest on one place. */
const MOSTLY = 0.5;
/** Share of the entropy of equal weights from which a map is said to be uniform. */
const UNIFORM = 0.95;
/** Share of all heads that must be uniform for weights to look untrained. */
const MOST_HEADS = 0.9;
const FEWEST_KEYS = 5;
/** Share of a row from which what a learned sink takes is mentioned. */
const SAID = 0.005;

/**
 * Remarks on the whole part and on the chosen head, the first the most important.
 * @param {Measured} part
 * @param {{layer: number, head: number}} head
 * @returns {Remark[]}
 */
export function remarksOn(part, head) {
  return [untrained(part), ofSink(part, head), ofHead(part, head)].filter((remark) => remark !== null);
}

/**
 * What is to be known of all of a model's maps.
 * @param {Pick<import("../../../api/types.js").Analysis, "model">} analysis
 * @returns {Remark[]}
 */
export function remarksOnModel(analysis) {
  if (!isWeightsOnly(analysis)) return [];
  const { max_tokens: most, reads } = analysis.model;
  const text = t(
    "Weights only: the attention of this model is code of its own that cannot be replaced, so these are the weights that it returns itself. Scores, vectors, changes and what explains the output need our attention inside.",
  );
  const bound =
    most && reads === "text" ? ` ${t("A text may have up to {most} tokens.", { most: grouped(most) })}` : "";
  return [{ code: "weights_only", text: text + bound }];
}

/**
 * @param {Measured} part
 * @returns {Remark | null}
 */
function untrained(part) {
  const entropies = part.metrics.entropy?.flat() ?? [];
  const bound = UNIFORM * uniformEntropy(part);
  const uniform = entropies.filter((entropy) => entropy > bound).length;
  if (part.key_tokens < FEWEST_KEYS || entropies.length === 0 || uniform < MOST_HEADS * entropies.length) return null;
  const text = t(
    "{uniform} of {count} heads attend to all tokens almost equally, as untrained weights do: was the checkpoint loaded?",
    { uniform, count: entropies.length },
  );
  return { code: "untrained", text };
}

/**
 * @param {Measured} part
 * @param {{layer: number, head: number}} at
 * @returns {Remark | null}
 */
function ofSink(part, { layer, head }) {
  const taken = part.sink_shares?.[layer]?.[head] ?? 0;
  if (taken < SAID) return null;
  const said = { share: fixed(taken, 2) };
  const text = t(
    "This head has a learned sink, one more score in each softmax: it takes {share} of a row on average, and the weights add up to the rest.",
    said,
  );
  return { code: "sink", text };
}

/**
 * @param {Measured} part
 * @param {{layer: number, head: number}} at
 * @returns {Remark | null}
 */
function ofHead(part, { layer, head }) {
  const of = (/** @type {string} */ name) => part.metrics[name]?.[layer]?.[head] ?? 0;
  const further = part.stages.includes("norm_weighted") ? ` ${t("‖α f(x)‖ shows how much of that arrives.")}` : "";
  if (of("first_token") > MOSTLY) {
    const text = t(
      "Attends mostly to the first token: an attention sink, where heads rest when they have nothing to look for.",
    );
    return { code: "first_token", text: text + further };
  }
  if (of("separator") > MOSTLY) {
    const text = t("Attends mostly to separators, where heads rest when they have nothing to look for in this text.");
    return { code: "separator", text: text + further };
  }
  if (part.key_tokens >= FEWEST_KEYS && of("entropy") > UNIFORM * uniformEntropy(part)) {
    const text = t("Attends to all tokens almost equally: common in some early heads, and in untrained weights.");
    return { code: "uniform", text };
  }
  return null;
}
