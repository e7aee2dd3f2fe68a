/** Say in one sentence when a model's vocabulary does not know the script of a text. */

import { t } from "../../base/i18n.js";

/** @typedef {import("../../api/types.js").Token} Token */

/** How vocabularies spell the token for what they do not know: [UNK], <unk>, <|unknown|>, ▁⁇ … */
const UNKNOWN = /^▁?(?:[[<(]{1,2}\|?unk(?:nown)?(?:_token)?\|?[\]>)]{1,2}|unk|\u2047)$/iu;
/** A blank in front of a word, which takes up the place of the character behind it. */
const BLANK = /^[\s▁Ġ]*$/u;
/** Shares from which it is said. */
const SOME = 0.1;
const MOST = 0.5;
const NEARLY_ALL = 0.8;
/** A few letters or bytes say nothing about a script. */
const FEWEST = 8;
/** Each stands for a word or so by itself. */
const IDEOGRAPH = /\p{Script=Han}/u;

/**
 * @param {Token[]} tokens  of an analysis
 * @returns {string}  "" where the vocabulary has words for the text
 */
export function vocabularyWarning(tokens) {
  const ordinary = tokens.filter(({ special, start, text }) => !special && start !== null && !BLANK.test(text));
  const total = ordinary.length;
  const unknown = ordinary.filter(isUnknown).length;
  // However few: a sentence without spaces may be a single one.
  if (unknown > 0 && unknown >= MOST * total)
    return t("{count} of {total} tokens are unknown to this model's vocabulary.", { count: unknown, total });
  if (total < FEWEST) return "";
  const share = shareWithout(ordinary);
  const said = { share: Math.round(100 * share) };
  if (share >= MOST)
    return t(
      "{share} % of the characters have no token of their own: this model's vocabulary hardly knows this script.",
      said,
    );
  if (share >= SOME)
    return t(
      "{share} % of the characters have no token of their own: this model's vocabulary knows only part of this script.",
      said,
    );
  const letters = ordinary.filter((token) => isLetter(token) && !isUnknown(token)).length;
  if (letters >= NEARLY_ALL * total)
    return t(
      "{count} of {total} tokens are single characters: this model's vocabulary hardly has words of this script.",
      { count: letters, total },
    );
  return "";
}

/**
 * The share of the characters that are unknown, or broken into bytes: several tokens then have one character's place.
 * @param {Token[]} tokens
 */
function shareWithout(tokens) {
  /** Of each character, how many tokens have it; 2 of an unknown one. @type {Map<string, number>} */
  const counts = new Map();
  for (const token of tokens) {
    for (let at = token.start ?? 0; at < (token.end ?? 0); at++) {
      const place = `${token.segment} ${at}`;
      counts.set(place, (counts.get(place) ?? 0) + (isUnknown(token) ? 2 : 1));
    }
  }
  return [...counts.values()].filter((count) => count > 1).length / Math.max(1, counts.size);
}

/** @param {Token} token */
function isUnknown({ token, text }) {
  return UNKNOWN.test(token ?? text);
}

/** @param {Token} token */
function isLetter({ start, end, text }) {
  return (end ?? 0) - (start ?? 0) === 1 && /\p{L}/u.test(text) && !IDEOGRAPH.test(text);
}
