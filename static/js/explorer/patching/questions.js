/** What is asked of the server for a state: patches of heads or positions, or paths between heads. */

import { t } from "../../base/i18n.js";
import { isUploaded, isWeightsOnly } from "../../api/analyses.js";
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
  if (isWeightsOnly(analysis)) {
    return t("Weights only: nothing in this model can be patched.");
  }
  if (analysis.image) {
    if (analysis.predictions.length > 0) return "";
    return t(
      "This model predicts no classes, so there are no logits to compare. Choose a model that classifies images.",
    );
  }
  if (value.picture !== "") return t("Patching compares two texts or two images; this model reads sounds.");
  if (value.pair !== "") return t("Patching compares two single texts. Remove the second text.");
  return "";
}

/**
 * Whether there is a corrupt prompt: a text, or an image where the model reads images.
 * @param {Pick<ViewState, "corrupt" | "corruptPicture">} value
 * @param {Pick<Analysis, "image">} analysis
 */
export function hasCorrupt({ corrupt, corruptPicture }, { image }) {
  return image ? corruptPicture !== "" : corrupt.trim() !== "";
}

/**
 * Whether the answers are classes, which belong to the whole text or image.
 * @param {Pick<Analysis, "image" | "predictions">} analysis
 */
export function predictsClasses({ image, predictions }) {
  return Boolean(image) || predictions[0]?.kind === "class";
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
 * @param {string} other
 */
function promptsOf(value, analysis, other) {
  const { answer, answerText, against, againstText, noising } = value;
  const answerAt = predictsClasses(analysis) ? null : value.answerAt;
  const tokens = analysis.target_tokens ?? analysis.tokens;
  return {
    ...bothOf(value, analysis, other),
    ...(answerText !== "" ? { answer: answerText } : answer !== null && { answer }),
    ...(againstText !== "" ? { against: againstText } : against !== null && { against }),
    ...(answerAt !== null && answerAt < tokens.length && { position: answerAt }),
    direction: noising ? /** @type {const} */ ("noising") : /** @type {const} */ ("denoising"),
  };
}

/**
 * Both prompts as the analysis was given its text: plain, or in the model's chat template; images by their analyses.
 * @param {Pick<ViewState, "text" | "target" | "corrupt" | "chat" | "system">} value
 * @param {Analysis} analysis
 * @param {string} other
 */
function bothOf({ text, target, corrupt, chat, system }, analysis, other) {
  if (analysis.image) return { model: analysis.model.id, clean_analysis: analysis.id, corrupt_analysis: other };
  return {
    model: analysis.model.id,
    clean: text,
    corrupt,
    ...(target !== "" && { target_text: target }),
    ...(chat && { chat, ...(system !== "" && { system_text: system }) }),
  };
}

/**
 * Whether the server can be asked: an image must have been analysed.
 * @param {Pick<ViewState, "corrupt" | "corruptPicture">} value
 * @param {Analysis} analysis
 * @param {string} other
 */
function isReady(value, analysis, other) {
  return hasCorrupt(value, analysis) && (!analysis.image || other !== "");
}

/**
 * The request for the tokens of both prompts; null without a corrupt one.
 * @param {Pick<ViewState, "text" | "target" | "corrupt" | "corruptPicture" | "chat" | "system">} value
 * @param {Analysis} analysis
 * @param {string} [other]  the id of the corrupt image's analysis; "" while there is none
 * @returns {import("../../api/patching.js").PromptPairRequest | null}
 */
export function pairRequest(value, analysis, other = "") {
  return isReady(value, analysis, other) ? bothOf(value, analysis, other) : null;
}

/**
 * The request for a grid of heads or positions; null for paths, or without a corrupt prompt.
 * @param {ViewState} value
 * @param {Analysis} analysis
 * @param {string} [other]
 * @returns {PatchingRequest | null}
 */
export function patchingRequest(value, analysis, other = "") {
  const { patched: what, places, patchedAt, paths, part } = value;
  if (!isReady(value, analysis, other) || paths !== "") return null;
  const prompts = promptsOf(value, analysis, other);
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
 * How many runs the study takes, in words; "" of paths, whose number depends on the head.
 * @param {Pick<ViewState, "paths" | "patched" | "places">} value
 * @param {import("../../api/types.js").Part} part
 * @returns {string}
 */
export function planOf({ paths, patched, places }, part) {
  if (paths !== "") return "";
  const { layers } = part;
  const isOfKeys = patched === "keys" || patched === "values";
  if (patched === "residual" || places === "position") {
    const positions = isOfKeys ? part.key_tokens : part.query_tokens;
    const counts = { layers, positions, runs: layers * positions };
    return t("The study will take {runs} patched runs: {layers} layers × {positions} positions.", counts);
  }
  const heads = isOfKeys ? part.kv_heads : part.heads;
  return t("The study will take {runs} patched runs: {layers} layers × {heads} heads.", {
    layers,
    heads,
    runs: layers * heads,
  });
}

/**
 * The request for a grid of paths; null if none is asked for, or without a corrupt prompt.
 * @param {ViewState} value
 * @param {Analysis} analysis
 * @param {string} [other]
 * @returns {PathPatchingRequest | null}
 */
export function pathsRequest(value, analysis, other = "") {
  const { paths, via, heldFeedForward } = value;
  if (!isReady(value, analysis, other) || paths === "") return null;
  const held = heldFeedForward ? { feed_forward: /** @type {const} */ ("held") } : {};
  const prompts = { ...promptsOf(value, analysis, other), ...held };
  if (paths === "logits") return { ...prompts, fixed: paths };
  return { ...prompts, fixed: paths, ...pathHeadOf(value, analysis), via };
}
