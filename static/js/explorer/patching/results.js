/** A grid of effects as it is shown: its title, what each part of the picture draws, and its table. */

import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { headCode } from "../../wording/labels.js";
import { numberedLabel } from "../../wording/token_apart.js";
import { largest } from "../widgets/signed_shares.js";
import { numberTable } from "../widgets/number_table.js";
import { whatName } from "./words.js";

/** @typedef {import("../../api/patching.js").AnyPatching} AnyPatching */
/** @typedef {import("../../api/types.js").Picture} Picture */
/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {import("../widgets/panel.js").Scene} Scene */

/**
 * What is drawn of a study; null for a part that has nothing to draw.
 * @param {Pick<Scene, "value" | "queries" | "palette">} scene
 * @param {AnyPatching} found
 * @param {Picture[]} images  the clean one and the corrupt one; none of texts
 */
export function resultsOf({ value, queries, palette }, found, images) {
  const { layer, head, query, numbering } = value;
  const isByHead = !("by" in found) || found.by === "head";
  const isOfTokens = !isByHead && found.effects[0].length === found.clean.tokens.length;
  /** By position; none where the columns are no tokens. @type {Token[]} */
  const tokens = isOfTokens ? queries : [];
  const title = titleOf(found, numbering);
  const common = { title, values: found.effects, layer, numbering, palette };
  const most = largest(found.effects.flat()) || 1;
  const image = images[found.direction === "denoising" ? 1 : 0];
  const effects = found.effects[layer];
  return {
    found,
    isByHead,
    numbering,
    tokens,
    title,
    most,
    heads: isByHead ? { ...common, head: Math.floor(head / found.query_heads_per_column) } : null,
    positions: isByHead ? null : { ...common, tokens, query },
    patches: isOfTokens && image ? { image, effects, most, tokens, layer, query, numbering, palette } : null,
  };
}

/**
 * @param {AnyPatching} patching
 * @param {0 | 1} numbering
 */
function titleOf(patching, numbering) {
  if ("what" in patching) {
    const what = whatName(patching.what);
    return patching.by === "head"
      ? t("Effect of patching each head: {what}", { what })
      : t("Effect of patching each position: {what}", { what });
  }
  if (patching.fixed === "logits") return t("Effect of the paths from each head to the logits");
  const head = headCode(patching.layer ?? 0, patching.head ?? 0, numbering);
  const via = whatName(/** @type {import("./words.js").What} */ (patching.via)); // only the logits have none
  if (patching.fixed === "receiver") {
    return t("Effect of the paths from other heads to {head}, through its {via}", { head, via });
  }
  const effect = patching.to_logits === null ? "" : fixed(patching.to_logits, 2);
  return t("Effect of the paths from {head} to other heads, through their {via} (straight to the logits: {effect})", {
    head,
    via,
    effect,
  });
}

/** @param {Pick<ReturnType<typeof resultsOf>, "found" | "isByHead" | "tokens" | "numbering">} results */
export function effectTable({ found, isByHead, tokens, numbering }) {
  const columns = found.effects[0].map((_, index) => {
    if (isByHead) return t("head {head}", { head: index + numbering });
    return tokens[index] ? numberedLabel(tokens[index], numbering) : String(index + numbering);
  });
  const rows = found.effects.map((row, layer) => [layer + numbering, ...row.map((effect) => fixed(effect, 3))]);
  return [numberTable([t("layer"), ...columns], rows)];
}
