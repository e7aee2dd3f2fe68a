/** What is asked of the server for a state: patches of heads or positions, or paths between heads. */

import { t } from "../../base/i18n.js";
import { isUploaded } from "../../api/analyses.js";
import { parseHeads } from "../state/head_list.js";

/** @typedef {import("../state/view_state.js").ViewState} ViewState */
/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../api/patching.js").PatchingRequest} PatchingRequest */
/** @typedef {import("../../api/patching.js").PathPatchingRequest} PathPatchingRequest */

/**
 * Why nothing can be patched; "" where it can.
 * @param {ViewState} value
 * @param {Analysis} analysis
 */
export function obstacleTo(value, analysis) {
  if (isUploaded(analysis.id)) return t("No model ran here on these tensors, so nothing can be patched.");
  if (value.picture !== "") return t("Patching compares two texts; this model reads images.");
  if (value.pair !== "") return t("Patching compares two single texts. Remove the second text.");
  return "";
}

/**
 * The head at the fixed end of all paths.
 * @param {Pick<ViewState, "pathHead" | "layer" | "head">} value
 * @param {Analysis} analysis
 */
export function pathHeadOf({ pathHead, layer, head }, { parts }) {
  return parseHeads(pathHead, parts[0])[0] ?? { layer, head };
}

/**
 * @param {ViewState} value
 * @param {Analysis} analysis
 */
function promptsOf({ text, target, corrupt, answer, against, answerAt, noising }, analysis) {
  const tokens = analysis.target_tokens ?? analysis.tokens;
  return {
    model: analysis.model.id,
    clean: text,
    corrupt,
    ...(target !== "" && { target_text: target }),
    ...(answer !== null && { answer }),
    ...(against !== null && { against }),
    ...(answerAt !== null && answerAt < tokens.length && { position: answerAt }),
    direction: noising ? /** @type {const} */ ("noising") : /** @type {const} */ ("denoising"),
  };
}

/**
 * The request for a grid of heads or positions; null for paths, or without a corrupt prompt.
 * @param {ViewState} value
 * @param {Analysis} analysis
 * @returns {PatchingRequest | null}
 */
export function patchingRequest(value, analysis) {
  const { corrupt, patched: what, places, patchedAt, paths, part } = value;
  if (corrupt.trim() === "" || paths !== "") return null;
  const prompts = promptsOf(value, analysis);
  const named = part === "" ? null : /** @type {import("../../api/types.js").Part["name"]} */ (part);
  // No stream belongs to cross-attention: that of the first part is shown.
  if (what === "residual") return { ...prompts, what, by: "position", part: named === "cross" ? null : named };
  if (places === "position") return { ...prompts, what, by: "position", part: named };
  return {
    ...prompts,
    what,
    by: "head",
    part: named,
    ...(patchedAt !== null && patchedAt < analysis.tokens.length && { patched_position: patchedAt }),
  };
}

/**
 * The request for a grid of paths; null if none is asked for, or without a corrupt prompt.
 * @param {ViewState} value
 * @param {Analysis} analysis
 * @returns {PathPatchingRequest | null}
 */
export function pathsRequest(value, analysis) {
  const { corrupt, paths, via } = value;
  if (corrupt.trim() === "" || paths === "") return null;
  const prompts = promptsOf(value, analysis);
  if (paths === "logits") return { ...prompts, fixed: paths };
  return { ...prompts, fixed: paths, ...pathHeadOf(value, analysis), via };
}
