/** What is said of a study: what the two prompts are for, which model they run through, and which answer is refused. */

import { sentences, t } from "../../base/i18n.js";
import { ApiError } from "../../requests/api_request.js";
import { cancellable } from "../widgets/waiting.js";
import { hasCorrupt } from "./questions.js";

/** @typedef {"output" | "queries" | "keys" | "values" | "pattern" | "residual"} What */
/** @typedef {{answer: string, against: string}} Refused  the server's reason; "" where there is none */

/**
 * @param {Pick<import("../state/view_state.js").ViewState, "corrupt" | "corruptPicture" | "changes">} value
 * @param {Pick<import("../../api/types.js").Analysis, "model" | "image">} analysis
 * @returns {string}  "" where nothing needs saying
 */
export function introductionOf(value, analysis) {
  const isBegun = hasCorrupt(value, analysis);
  const isChanged = value.changes !== "";
  if (analysis.image) {
    return sentences([
      !isBegun &&
        t(
          "Two images: the one above is the clean one. One activation at a time is taken from the one run and put into the other; the effect is how far that moves the difference of two classes’ logits.",
        ),
      isChanged && t("Both images run through the unchanged model, without the changes made above."),
    ]);
  }
  const said = [
    !isBegun &&
      t(
        "Two prompts of equally many tokens: the text above is the clean one. One activation at a time is taken from the one run and put into the other; the effect is how far that moves the answer.",
      ),
    isChanged && t("Both prompts run through the unchanged model, without the changes made above."),
    isBody(analysis.model) &&
      t(
        "This model predicts no tokens, so there are no logits to compare. (Of many text classifiers only the body is loaded.) Choose an example, or a model that predicts tokens.",
      ),
  ];
  return sentences(said);
}

/**
 * Whether a model has no head: by transformers' names of classes, such as BertModel or T5EncoderModel.
 * @param {import("../../api/types.js").Analysis["model"]} model
 */
function isBody(model) {
  return typeof model !== "string" && /(?<!LMHead)Model$|Encoder$/.test(model.architecture ?? "");
}

/**
 * Why the token that counts, or the one that is subtracted, is none.
 * @param {import("../../requests/request_scheduler.js").Failure | null} failure
 * @returns {Refused}
 */
export function refusalOf(failure) {
  const error = failure?.kind === "failed" ? failure.error : null;
  const isToken = error instanceof ApiError && ["out_of_range", "invalid_request"].includes(error.code);
  const of = (/** @type {string} */ field) => (isToken && error.field === field ? error.message : "");
  return { answer: of("answer"), against: of("against") };
}

/** Whether it is said beside the field. @param {Refused} refused */
export function isOfToken({ answer, against }) {
  return answer !== "" || against !== "";
}

/**
 * What is patched.
 * @param {What} what
 */
export function whatName(what) {
  return {
    output: t("head output"),
    queries: t("queries"),
    keys: t("keys"),
    values: t("values"),
    pattern: t("pattern (weights)"),
    residual: t("residual stream"),
  }[what];
}

/**
 * How many patched runs the server has done.
 * @param {import("../../api/patching.js").PatchingProgress | null} progress  null before it is known
 * @param {boolean} isStopped
 * @returns {import("../widgets/waiting.js").WaitingData}
 */
export function waitingWords(progress, isStopped) {
  const total = progress?.total ?? null;
  const done = progress?.done ?? 0;
  const running =
    total === null ? t("Running the model on both prompts …") : t("{done} of {total} patched runs", { done, total });
  return cancellable(total === null ? null : total && done / total, isStopped, running);
}
