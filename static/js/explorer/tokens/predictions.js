/** Predictions at a token, next or masked; each can be put into the text. */

import { el, fill, keepingFocus, smallButton } from "../../base/dom.js";
import { drawnView } from "../../base/mount.js";
import { sentences, t } from "../../base/i18n.js";
import { piecesApart, tokenLabel } from "../../wording/labels.js";
import { fixed } from "../../base/numbers.js";
import { apartLabel, quoted } from "../../wording/token_apart.js";
import { tokenName } from "../../wording/token_name.js";
import { isolated } from "../../wording/token_text.js";
import { shareItem } from "../widgets/share_list.js";

/** @typedef {import("../../api/types.js").Candidate} Candidate */
/** @typedef {import("../../api/types.js").Prediction} Prediction */
/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} PredictionsData
 * @property {Prediction[]} predictions
 * @property {Token[]} tokens  from which they are read
 * @property {0 | 1} numbering
 * @property {{left: number, limit: number}} [room]  for further tokens
 * @property {{token: Token, mask: string} | null} [maskable]  the token that can be masked
 * @property {boolean} [isChat]  whether the text is a chat message, behind which the answer begins
 */

/**
 * @typedef {object} PredictionsOptions  none where no model can be asked again
 * @property {(prediction: Prediction, candidate: Candidate) => void} [onChoose]
 * @property {(token: Token, mask: string) => void} [onMask]
 * @property {boolean} [hasBack]  whether the browser's Back undoes what is chosen
 */

/**
 * @param {HTMLElement} element
 * @param {PredictionsData} data
 * @param {PredictionsOptions} options
 * @returns {import("../../base/mount.js").View<PredictionsData>}
 */
export function predictionsView(element, data, { onChoose, onMask, hasBack }) {
  const lists = el("div");
  const masking = el("div", { class: "masking" });
  fill(element, lists, masking);
  /** @type {PredictionsData | null} */
  let drawn = null;

  /** @param {PredictionsData} next */
  function draw(next) {
    const before = drawn;
    drawn = next;
    if (
      next.predictions !== before?.predictions ||
      next.tokens !== before.tokens ||
      next.numbering !== before.numbering
    )
      drawLists(next);
    if (next.maskable?.token !== before?.maskable?.token) drawMasking(next);
  }

  return drawnView(element, data, draw);

  /** @param {PredictionsData} next */
  function drawLists({ predictions, tokens, numbering, room, isChat = false }) {
    if (predictions.length === 0) {
      return fill(lists, el("p", { class: "note" }, t("This model has no part that predicts tokens.")));
    }
    const isFull = room !== undefined && room.left < 1;
    const isLast = predictions[0].kind === "next_token";
    const shown = predictions.map((prediction) => {
      const choose = (isFull || isChat) && prediction.kind === "next_token" ? undefined : onChoose;
      return list(prediction, { tokens, numbering }, choose, hasBack);
    });
    // Whoever writes on with the keyboard stays at the same place of the list.
    keepingFocus(lists, () =>
      fill(lists, ...shown, onChoose && isLast && (isChat ? answering() : isFull && full(room.limit))),
    );
  }

  /** @param {PredictionsData} next */
  function drawMasking({ maskable, tokens, numbering }) {
    if (!maskable || !onMask) return fill(masking);
    const { token, mask } = maskable;
    const name = t("Mask “{token}” and run again", { token: apartLabel(tokens, token, numbering) });
    const onclick = () => onMask(token, mask);
    keepingFocus(masking, () => fill(masking, smallButton(name, onclick)));
  }
}

function answering() {
  return el("p", { class: "note" }, t("The answer begins here. It is no part of the message, so nothing is appended."));
}

/** @param {number} limit */
function full(limit) {
  return el(
    "p",
    { class: "note" },
    t("The text already has {limit} tokens, the maximum; nothing can be appended.", { limit }),
  );
}

/**
 * @param {Prediction} prediction
 * @param {Pick<PredictionsData, "tokens" | "numbering">} read  from where
 * @param {PredictionsOptions["onChoose"]} onChoose
 * @param {boolean} [hasBack]
 */
function list(prediction, { tokens, numbering }, onChoose, hasBack) {
  const { kind, candidates } = prediction;
  const isWritable = onChoose && candidates.some(({ written }) => written);
  const names = piecesApart(candidates, kind === "class");
  const hint =
    kind === "next_token" ? t("Click a token to append it and continue.") : t("Click a token to fill the mask.");
  return el(
    "div",
    {},
    el("p", { class: "reads-title" }, predictionTitle(prediction, tokens, numbering)),
    el(
      "ol",
      { class: "reads" },
      ...candidates.map((candidate, index) => predictionItem(prediction, candidate, names[index], onChoose)),
    ),
    isWritable && el("p", { class: "note" }, sentences([hint, hasBack && t("The browser's Back button undoes this.")])),
  );
}

/**
 * Where something is predicted.
 * @param {Prediction} prediction
 * @param {Token[]} tokens
 * @param {0 | 1} numbering
 * @returns {string}
 */
export function predictionTitle({ kind, index, read_from: read }, tokens, numbering) {
  const token = tokens[index];
  const label = token ? apartLabel(tokens, token, numbering) : String(index);
  const quotedNames = (/** @type {number[]} */ indices) =>
    indices.map((index) => quoted(apartLabel(tokens, tokens[index], numbering))).join(", ");
  return {
    next_token: t("After “{token}”", { token: label }),
    masked_token: t("In place of “{token}”", { token: label }),
    // Some read their classes from patches, though they have a token [CLS] (BEiT).
    class: read?.length
      ? t("Classes, read from {token}", { token: quotedNames(read) })
      : t("Classes of the whole input"),
  }[kind];
}

/**
 * @param {Prediction} prediction
 * @param {Candidate} candidate
 * @param {Token} piece  by which it is named
 * @param {PredictionsOptions["onChoose"]} onChoose
 */
export function predictionItem(prediction, candidate, piece, onChoose) {
  const { probability, logit, written } = candidate;
  const said = t("logit {value}", { value: fixed(logit, 3) });
  return shareItem({
    name: [tokenName(piece)],
    value: fixed(probability, 3),
    share: probability,
    kind: "is-plain",
    title: `${quoted(isolated(tokenLabel(piece)))} · ${said}`,
    onPick: onChoose && written ? () => onChoose(prediction, candidate) : undefined,
  });
}
