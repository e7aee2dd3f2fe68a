/** Which tokens of two compared runs belong together, and their difference where they are not the same tokens. */

import { numberedLabel, quoted } from "../../wording/token_apart.js";
import { alignByCharacters, alignBySequence, alignByWords, pooled, unitTokens } from "./alignment.js";
import { getWindow } from "../../api/analyses.js";
import { createAnalysisResource } from "../../requests/cached_resource.js";
import { correspondence } from "./correspondence.js";
import { subtract } from "./difference.js";
import { sentences, t } from "../../base/i18n.js";
import { remembering } from "../../base/memoise.js";
import { sidesOf } from "../state/selection.js";

/** @typedef {import("./alignment.js").Alignment} Alignment */
/** @typedef {import("../../api/types.js").AnalysisRequest} AnalysisRequest */
/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {import("./run_maps.js").Run} Run */

/**
 * @typedef {object} Pairing
 * @property {PairedSide | null} queries  null where no tokens belong together
 * @property {PairedSide | null} keys
 * @property {boolean} isIdentity  of both sides: cells are subtracted where they stand
 * @property {string} reason  why there is no difference; "" where there is one
 * @property {string} note  how tokens were paired, and which were left out
 *
 * @typedef {object} PairedSide
 * @property {Alignment} alignment
 * @property {ReturnType<typeof correspondence>} across
 * @property {Token[]} tokens  of the units
 */

const NAMED = 6;

/**
 * @param {import("../widgets/panel.js").Bench} bench
 * @param {import("../data/session.js").Session} otherSession
 */
export function createPairing({ config, session, schedule }, otherSession) {
  const kept = { lane: "weights", onChange: schedule, kept: 2 };
  const whole = {
    own: createAnalysisResource(session, getWindow, kept),
    other: createAnalysisResource(otherSession, getWindow, kept),
  };
  const sideOf = { queries: remembering(pairSide), keys: remembering(pairSide) };
  const joined = remembering(differenceOf);

  return {
    /**
     * @param {Run} first
     * @param {Run} second
     * @param {{own: "first" | "second", numbering: 0 | 1, stage: string}} of
     * @returns {Pairing}
     */
    take(first, second, { own, numbering, stage }) {
      const requests = requestsOf(session, otherSession, own);
      const [before, after] = [first, second].map(({ analysis, part }) => sidesOf(analysis, part, numbering));
      const isOneModel = requests[0].model === requests[1].model;
      const [queries, keys] = /** @type {const} */ (["queries", "keys"]).map((name) => {
        const side = name === "queries" ? first.part.query_side : first.part.key_side;
        const [texts, others] = requests.map((request) => JSON.stringify(textsOf(request, side)));
        return sideOf[name](before[name], after[name], texts, others, isOneModel, own);
      });
      if (!queries || !keys) return { queries, keys, isIdentity: false, reason: noPairs(first, second), note: "" };
      const isIdentity = queries.alignment.isIdentity && keys.alignment.isIdentity;
      if (isIdentity) return { queries, keys, isIdentity, reason: "", note: "" };
      const isJoined = !queries.alignment.isOneToOne || !keys.alignment.isOneToOne;
      const cells = Math.max(...[first, second].map(({ part }) => part.query_tokens * part.key_tokens));
      const reason = whyNotJoined({ isJoined, stage, isLong: cells > config.limits.max_window_cells });
      if (reason) return { queries, keys, isIdentity, reason, note: "" };
      const [text, otherText] = requests.map((request) => JSON.stringify(textsOf(request, "source")));
      const isOneText = text === otherText;
      const note = noteOn(keys.alignment, before.keys, after.keys, { isOneText, isOneModel, numbering });
      return { queries, keys, isIdentity, reason, note };
    },
    /**
     * @param {Pairing} pairing  no identity, and with no reason against it
     * @param {Run} first
     * @param {Run} second
     * @param {"first" | "second"} own
     * @param {import("../../api/types.js").Stage} stage
     * @returns {Matrix | null}  null while either is fetched
     */
    difference({ queries, keys }, first, second, own, stage) {
      if (!queries || !keys) return null;
      const [before, after] = [first, second].map((run, index) => {
        const resource = (index === 0) === (own === "first") ? whole.own : whole.other;
        const { analysis, part, layer, head } = run;
        return resource.take(analysis.id, [{ part: part.name, layer, head, stage }])[0];
      });
      return before && after ? joined(before, after, queries.alignment, keys.alignment) : null;
    },
    failure: () => whole.own.failure() ?? whole.other.failure(),
    clear() {
      for (const resource of Object.values(whole)) resource.clear();
    },
  };
}

/**
 * The requests of the first run and of the second.
 * @param {import("../data/session.js").Session} session
 * @param {import("../data/session.js").Session} otherSession
 * @param {"first" | "second"} own  which of them is the session's
 * @returns {[AnalysisRequest, AnalysisRequest]}
 */
function requestsOf(session, otherSession, own) {
  const [request, otherRequest] = [session, otherSession].map(
    ({ progress }) => /** @type {AnalysisRequest} */ (progress.get().request),
  );
  return own === "first" ? [request, otherRequest] : [otherRequest, request];
}

/**
 * Why there is no difference of runs whose tokens are not the same; "" where there is one.
 * @param {{isJoined: boolean, stage: string, isLong: boolean}} runs  joined: several tokens of one are one of the other
 */
function whyNotJoined({ isJoined, stage, isLong }) {
  if (isJoined && stage !== "weights") {
    return t("No difference: merged tokens have no common score or length. Choose the weights.");
  }
  return isLong ? t("No difference: merging tokens needs both whole matrices, and these are too long.") : "";
}

/**
 * @param {Token[]} first
 * @param {Token[]} second
 * @param {string} texts  as JSON
 * @param {string} others
 * @param {boolean} isOneModel
 * @param {"first" | "second"} own
 * @returns {PairedSide | null}
 */
function pairSide(first, second, texts, others, isOneModel, own) {
  const alignment =
    texts === others
      ? alignByCharacters(first, second, JSON.parse(texts))
      : isOneModel
        ? alignBySequence(first, second)
        : alignByWords(first, second, JSON.parse(texts), JSON.parse(others));
  if (!alignment || alignment.units.length === 0) return null;
  const counts = { first: first.length, second: second.length };
  return {
    alignment,
    across: correspondence(alignment, own, counts),
    tokens: unitTokens(alignment, first, second, own),
  };
}

/**
 * @param {AnalysisRequest} request
 * @param {"source" | "target"} side
 */
function textsOf({ text, text_pair: pair, target_text: target, picture }, side) {
  return side === "target" ? [target ?? ""] : [text, pair ?? "", ...(picture ? [picture] : [])];
}

/**
 * @param {Matrix} first
 * @param {Matrix} second
 * @param {Alignment} queries
 * @param {Alignment} keys
 */
function differenceOf(first, second, queries, keys) {
  const of = (/** @type {Matrix} */ matrix, /** @type {"first" | "second"} */ side) =>
    pooled(
      matrix,
      queries.units.map((unit) => unit[side]),
      keys.units.map((unit) => unit[side]),
    );
  return subtract(of(first, "first"), of(second, "second"));
}

/**
 * Why no tokens belong together.
 * @param {Run} first
 * @param {Run} second
 */
function noPairs({ analysis: first }, { analysis: second }) {
  if (first.image || first.sound) return t("No difference: these two models cut their input into different pieces.");
  const isKnown = [first, second].every(({ tokens }) => tokens.some(({ start }) => start !== null));
  return isKnown
    ? t("No difference: no word of one text has a counterpart in the other.")
    : t("No difference: it is not known which characters the tokens of these models stand for.");
}

/**
 * @param {Alignment} alignment
 * @param {Token[]} first
 * @param {Token[]} second
 * @param {{isOneText: boolean, isOneModel: boolean, numbering: 0 | 1}} of
 */
function noteOn({ alone }, first, second, { isOneText, isOneModel, numbering }) {
  const merged = t(
    "Tokens that cover the same characters are merged: weights to them are summed, weights from them averaged.",
  );
  const words = t("Words that both texts share are paired, and replaced words with their replacements.");
  const tokens = t("Tokens that both texts share are paired, and replaced tokens with their replacements.");
  const how = isOneText ? merged : isOneModel ? tokens : sentences([words, merged]);
  const named = (/** @type {Token[]} */ tokens, /** @type {number[]} */ which) => {
    const names = which.map((index) => quoted(numberedLabel(tokens[index], numbering)));
    return names.length > NAMED ? [...names.slice(0, NAMED), "…"].join(", ") : names.join(", ");
  };
  const left = named(first, alone.first);
  const right = named(second, alone.second);
  return sentences([
    how,
    left && t("Only on the left, so left out: {tokens}.", { tokens: left }),
    right && t("Only on the right, so left out: {tokens}.", { tokens: right }),
  ]);
}
