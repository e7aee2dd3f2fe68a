/** Say in one sentence when a model's vocabulary does not know the script of a text. */

import { t } from "../../base/i18n.js";

/** @typedef {import("../../api/types.js").Token} Token */

/** How vocabularies spell the token for what they do not know: [UNK], <unk>, <|unknown|>, ▁⁇ … */
const UNKNOWN = /^▁?(?:[[<(]{1,2}\|?unk(?:nown)?(?:_token)?\|?[\]>)]{1,2}|unk|\u2047)$/iu;
/** Share of the tokens from which it is said. */
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
  const ordinary = tokens.filter(({ special, start }) => !special && start !== null);
  const total = ordinary.length;
  const unknown = ordinary.filter(({ token, text }) => UNKNOWN.test(token ?? text)).length;
  // However few: a sentence without spaces may be a single one.
  if (unknown > 0 && unknown >= MOST * total)
    return t("{count} of {total} tokens are unknown to this model's vocabulary.", { count: unknown, total });
  if (total < FEWEST) return "";
  const pieces = ordinary.filter((one, at) => isPiece(one, ordinary[at - 1]) || isPiece(one, ordinary[at + 1])).length;
  const letters = ordinary.filter(isLetter).length + pieces;
  if (pieces >= MOST * total)
    return t("{count} of {total} tokens are single bytes: this model's vocabulary hardly knows this script.", {
      count: pieces,
      total,
    });
  if (letters >= NEARLY_ALL * total)
    return t(
      "{count} of {total} tokens are single characters: this model's vocabulary hardly has words of this script.",
      {
        count: letters,
        total,
      },
    );
  return "";
}

/**
 * Whether two tokens are parts of one character.
 * @param {Token} one
 * @param {Token | undefined} other
 */
function isPiece(one, other) {
  return other !== undefined && other.segment === one.segment && other.start === one.start && other.end === one.end;
}

/** @param {Token} token */
function isLetter({ start, end, text }) {
  return (end ?? 0) - (start ?? 0) === 1 && /\p{L}/u.test(text) && !IDEOGRAPH.test(text);
}
