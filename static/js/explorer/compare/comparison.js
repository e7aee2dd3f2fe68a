/** Which two runs are compared, and what each is called. */

import { t } from "../../base/i18n.js";

/** @typedef {import("../../api/types.js").AnalysisRequest} AnalysisRequest */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */

/**
 * @typedef {object} Comparison  the run beside the shown one
 * @property {AnalysisRequest} request
 * @property {boolean} isFirst  whether it stands on the left: what was before does
 * @property {[string, string, string]} names  of left, right and their difference
 */

/**
 * Another text, model or head if one is given; otherwise the model before the changes, or after.
 * @param {AnalysisRequest} shown
 * @param {Pick<ViewState, "changes" | "otherText" | "otherModel" | "otherHead">} wanted
 * @param {boolean} [isBare]  whether the other model has no chat template, so that it reads a message as a plain text
 * @returns {Comparison | null}  null where there is nothing to compare with
 */
export function comparisonOf(shown, { changes, otherText, otherModel, otherHead }, isBare = false) {
  const { changes: made = "", text_pair: pair, target_text: target, ...request } = shown;
  const { chat: _chat, system_text: _system, ...plain } = request;
  const ofDecoder = target !== undefined && { target_text: target };
  const further = { ...(pair !== undefined && { text_pair: pair }), ...ofDecoder };
  if (otherText || otherModel) {
    const asked = otherModel && isBare ? plain : request;
    const other = { ...asked, model: otherModel || request.model, text: otherText || request.text };
    return {
      // A second text belongs to the first. What the decoder has written stays: its tokens are the queries of both.
      request: { ...other, ...(otherText ? ofDecoder : further) },
      isFirst: false,
      names: [thisName(otherText, otherModel), otherName(otherText, otherModel), t("The other − this")],
    };
  }
  if (otherHead) {
    return { request: shown, isFirst: false, names: [t("This head"), t("The other head"), t("The other − this")] };
  }
  const names = /** @type {Comparison["names"]} */ ([t("Before"), t("After"), t("After − before")]);
  const base = { ...request, ...further };
  if (made) return { request: base, isFirst: true, names };
  return changes ? { request: { ...base, changes }, isFirst: false, names } : null;
}

/**
 * @param {string} text
 * @param {string} model
 */
function thisName(text, model) {
  if (text && model) return t("This one");
  return text ? t("This text") : t("This model");
}

/**
 * @param {string} text
 * @param {string} model
 */
function otherName(text, model) {
  if (text && model) return t("The other one");
  return text ? t("The other text") : t("The other model");
}
