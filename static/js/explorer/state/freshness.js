/** Freshness: whether the charts show what is requested and, if not, why and what they still show. */

import { isUploaded } from "../../api/analyses.js";
import { t } from "../../base/i18n.js";
import { isSame } from "./draft.js";
import { isSound } from "./given_names.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../api/types.js").AnalysisRequest} AnalysisRequest */

/**
 * - `none`: nothing is shown yet
 * - `fresh`: the charts show the draft
 * - `edited`: the draft has not been requested
 * - `running`: the draft is being computed
 * - `waiting`: its request failed and will be retried
 * - `refused`: its request was refused
 * @typedef {"none" | "fresh" | "edited" | "running" | "waiting" | "refused"} FreshnessKind
 */

/** @typedef {"model" | "text" | "picture" | "changes"} Matter  in which the draft differs from what is shown */

/**
 * @typedef {object} Freshness
 * @property {FreshnessKind} kind
 * @property {Matter} matter
 * @property {string} still  sentence on what is still shown; "" if that is the draft
 * @property {string} why  sentence on the reason
 */

/** @typedef {import("../../base/store.js").Store<Freshness>} FreshnessStore */

/**
 * @typedef {object} Situation
 * @property {AnalysisRequest | null} shown  request of the shown analysis
 * @property {AnalysisRequest} wanted
 * @property {AnalysisRequest | null} asked  the last request
 * @property {"idle" | "running" | "waiting" | "failed" | "done"} phase  of that request
 * @property {string} message  its error
 * @property {Analysis | null} analysis  shown
 */

const EXCERPT = 60;

/** @type {Readonly<Freshness>} */
export const FRESH = Object.freeze({ kind: "fresh", matter: "text", still: "", why: "" });

/**
 * @param {Situation} situation
 * @returns {Freshness}
 */
export function freshnessOf(situation) {
  const { shown, wanted, analysis } = situation;
  if (!shown || !analysis) return { ...FRESH, kind: "none" };
  if (isSame(shown, wanted)) return FRESH;
  const kind = kindOf(situation);
  const matter = matterOf(shown, wanted);
  return { kind, matter, still: stillOf(shown, analysis, matter), why: whyOf(kind, matter, situation) };
}

/**
 * Whether exporting and sharing are disabled.
 * @param {Pick<Freshness, "kind">} freshness
 */
export function isStale({ kind }) {
  return kind !== "fresh" && kind !== "none";
}

/**
 * Why exporting and sharing are disabled.
 * @param {Freshness} freshness
 */
export function outOfDate({ still, why }) {
  return t("Out of date, so it cannot be exported or shared: {still} {why}", { still, why });
}

/**
 * Whether picking is disabled: outdated charts that will stay a while could be mistaken for the draft.
 * @param {Pick<Freshness, "kind">} freshness
 */
export function isHeld({ kind }) {
  return kind !== "running" && isStale({ kind });
}

/**
 * @param {Situation} situation
 * @returns {FreshnessKind}
 */
function kindOf({ wanted, asked, phase, message }) {
  if (!asked || !isSame(asked, wanted)) return "edited";
  if (phase === "failed") return "refused";
  if (phase === "waiting" || (phase === "running" && message !== "")) return "waiting"; // once more, after a failure
  return phase === "running" ? phase : "edited";
}

/**
 * @param {AnalysisRequest} shown
 * @param {AnalysisRequest} wanted
 * @returns {Matter}
 */
function matterOf(shown, wanted) {
  if (shown.model !== wanted.model) return "model";
  if (shown.picture !== wanted.picture) return "picture";
  const texts = /** @type {const} */ (["text", "text_pair", "target_text", "chat", "system_text"]);
  return texts.some((name) => shown[name] !== wanted[name]) ? "text" : "changes";
}

/**
 * @param {AnalysisRequest} shown
 * @param {Analysis} analysis
 * @param {Matter} matter
 */
function stillOf(shown, { model }, matter) {
  if (matter === "changes") {
    return shown.changes
      ? t("Still showing the model with the previous changes.")
      : t("Still showing the unchanged model.");
  }
  if (isUploaded(shown.model)) return t("Still showing your own tensors.");
  const title = typeof model === "string" ? model : model.title;
  if (shown.picture && isSound(shown.picture)) {
    return t("Still showing the previous sound, in {model}.", { model: title });
  }
  if (shown.picture) return t("Still showing the previous image, in {model}.", { model: title });
  const text = excerpt(shown.text_pair ? `${shown.text} … ${shown.text_pair}` : shown.text);
  return matter === "model"
    ? t("Still showing “{text}” in {model}.", { text, model: title })
    : t("Still showing “{text}”.", { text });
}

/**
 * @param {FreshnessKind} kind
 * @param {Matter} matter
 * @param {Situation} situation
 */
function whyOf(kind, matter, { message, wanted }) {
  if (kind === "running") return t("Computing what you asked for …");
  const words = {
    model: [t("The other model has not been asked yet."), t("The other model could not be used:")],
    text: [t("The new text has not been analysed yet."), t("The new text could not be analysed:")],
    picture: isSound(wanted.picture ?? "")
      ? [t("The new sound has not been analysed yet."), t("The new sound could not be analysed:")]
      : [t("The new image has not been analysed yet."), t("The new image could not be analysed:")],
    changes: [t("The new changes have not been applied yet."), t("The new changes could not be applied:")],
  }[matter];
  if (kind === "edited") return words[0];
  return `${words[1]} ${message}${kind === "waiting" ? ` ${t("Trying again automatically.")}` : ""}`;
}

/** @param {string} text */
function excerpt(text) {
  const signs = [...text.replace(/\s+/gu, " ").trim()];
  return signs.length > EXCERPT ? `${signs.slice(0, EXCERPT).join("").trimEnd()} …` : signs.join("");
}
