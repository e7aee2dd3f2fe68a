/** What is said of a set of prompts: what is left out, where it is kept, how its answers are rated. */

import { sentences, t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { ApiError } from "../../requests/api_request.js";
import { isInLink } from "../state/set_in_link.js";
import { probabilityText } from "./list.js";

/**
 * What the averages leave out of what is on the page otherwise.
 * @param {Pick<import("../state/view_state.js").ViewState, "changes" | "chat" | "promptChat" | "answers" | "targets">} value
 * @param {import("../../api/types.js").Part[]} parts  of the model
 * @param {{predicts: boolean, hasChat: boolean}} model
 */
export function noteOn({ changes, chat, promptChat, answers, targets }, parts, { predicts, hasChat }) {
  const said = [
    changes !== "" && t("The prompts run through the unchanged model, without the changes made above."),
    chat && !promptChat && t("The text above is a chat message; the prompts are plain texts. The set can change that."),
    promptChat && !hasChat && t("This model has no chat template: each prompt is a plain text."),
    answers !== "" && !predicts && t("This model predicts no next token: the expected tokens are left out."),
    targets !== "" &&
      parts.length < 2 &&
      t("This model has no decoder beside an encoder: the decoder texts are left out."),
    parts.length > 1 &&
      targets === "" &&
      t("Only the encoder is averaged. For the decoder and the cross-attention, give decoder texts in the set."),
  ];
  return sentences(said);
}

/**
 * Where the set that is shown is kept.
 * @param {import("../state/prompt_set.js").SetText} set
 * @param {{isEmpty: boolean, isKept: boolean, isLost: boolean}} how  whether the browser keeps one too long for a link;
 *   whether the link is to one that it does not keep
 */
export function whereKept(set, { isEmpty, isKept, isLost }) {
  if (isLost) {
    return t(
      "This link is to a set too long for a link, which this browser does not keep: open the set's file instead.",
    );
  }
  if (isEmpty) return "";
  if (isInLink(set)) return t("The set is part of the page's link.");
  return isKept
    ? t("The set is too long for a link: this browser keeps it. Save it as a file to pass it on.")
    : t(
        "The set is too long for a link, and this browser stores nothing for this page: save it as a file before you leave.",
      );
}

/**
 * The prompt that the server refuses, by its place in the set.
 * @param {import("../../requests/request_scheduler.js").Failure | null} failure
 */
export function refusedPrompt(failure) {
  const field = failure?.error instanceof ApiError ? failure.error.field : null;
  const match = /^(?:prompts|fillings)\.(\d+)/u.exec(field ?? "");
  return match ? Number(match[1]) : null;
}

/**
 * How probable the expected tokens are.
 * @param {import("../../api/prompts.js").PromptAnswers} found
 */
export function ratedWords({ answers, probability, rank, best }) {
  const said = (/** @type {string} */ mean, /** @type {string} */ deviation) =>
    t("{mean} ± {deviation}", { mean, deviation });
  const numbers = {
    probability: said(probabilityText(probability.mean), probabilityText(probability.deviation)),
    rank: said(fixed(rank.mean, 1), fixed(rank.deviation, 1)),
    best,
    count: answers.length,
  };
  return t(
    "Expected tokens: probability {probability}, rank {rank}; the most probable token in {best} of {count} prompts.",
    numbers,
  );
}

/**
 * How many prompts the server has done.
 * @param {{done: number, total: number} | null} progress  null before it is known
 * @param {{count: number, isStopped: boolean}} of  how many prompts there are
 * @returns {import("../widgets/waiting.js").WaitingData}
 */
export function waitingWords(progress, { count, isStopped }) {
  const said = progress ?? { done: 0, total: count };
  return {
    share: said.total && said.done / said.total,
    hasBar: true,
    isStopped,
    words: isStopped ? t("Stopped at {done} of {total} prompts.", said) : t("{done} of {total} prompts", said),
  };
}
