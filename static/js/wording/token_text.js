/**
 * Make a token's text visible: spaces, line breaks, control and other invisible characters are
 * replaced by visible signs. Used for every label, on the page, in charts and in files.
 */

import { t } from "../base/i18n.js";

/**
 * A stretch of a token: its text, or a sign that replaces invisible characters.
 * @typedef {object} Stretch
 * @property {string} text  to be seen
 * @property {string} said  to be heard
 * @property {boolean} isSign  whether it replaces other characters
 */

/** @type {Record<string, string>} */
const SIGNS = {
  " ": "·",
  "\n": "⏎",
  "\r": "␍",
  "\t": "⇥",
  "\u00a0": "⍽",
  "\u3000": "□",
  "\u007f": "␡",
};

/** Spaces, control and format characters, lone surrogates, and letters without a glyph. */
const UNSEEN = /[\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{Variation_Selector}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]/u;
/** Scripts in which a joiner changes how the letters beside it are drawn. */
const JOINED =
  /[\p{sc=Arabic}\p{sc=Syriac}\p{sc=Nko}\p{sc=Mongolian}\p{sc=Devanagari}\p{sc=Bengali}\p{sc=Gurmukhi}\p{sc=Gujarati}\p{sc=Oriya}\p{sc=Tamil}\p{sc=Telugu}\p{sc=Kannada}\p{sc=Malayalam}\p{sc=Sinhala}\p{sc=Khmer}\p{sc=Tibetan}]/u;
const PICTURE = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/u;
const RIGHT_TO_LEFT = /[\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Adlam}]/u;
/** Bytes that byte-level vocabularies write as letters from U+0100 on; the others represent themselves. */
const FURTHER = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !isPlainByte(byte));
const BREAKS = new Set(["\n", "\r"]);
/** From this many repetitions a sign is written once with its count. */
const MANY = 4;

/**
 * @param {string} text
 * @returns {Stretch[]}  none of an empty text
 */
export function stretches(text) {
  const all = [...text];
  /** @type {(Stretch & {sign: string, count: number})[]} */
  const found = [];
  all.forEach((sign, index) => {
    const isSign = UNSEEN.test(sign) && !joins(sign, all[index - 1], all[index + 1]);
    const last = found.at(-1);
    if (isSign && last?.sign === sign) last.count += 1;
    else if (!isSign && last && !last.isSign) last.text += sign;
    else found.push({ text: isSign ? written(sign) : sign, said: "", isSign, sign: isSign ? sign : "", count: 1 });
  });
  return found.map(({ text: shown, isSign, sign, count }) => {
    if (!isSign) return { text: /^\p{M}/u.test(shown) ? `◌${shown}` : shown, said: shown, isSign };
    const name = spoken(sign);
    const repeated = count >= MANY ? `${shown}×${count}` : shown.repeat(count);
    return { text: repeated, said: count === 1 ? name : t("{count} times {sign}", { count, sign: name }), isSign };
  });
}

/**
 * The text with everything in it visible.
 * @param {string} text
 * @returns {string}
 */
export function visible(text) {
  return stretches(text)
    .map((one) => one.text)
    .join("");
}

/**
 * A right-to-left label, isolated so that it does not reorder its neighbours.
 * @param {string} label
 * @returns {string}
 */
export function isolated(label) {
  return RIGHT_TO_LEFT.test(label) ? `\u2068${label}\u2069` : label;
}

/**
 * The bytes of a piece of a vocabulary that has single bytes: "<0xE7>", or in the letters that byte-level ones use.
 * @param {string} piece
 * @returns {number[] | null}  null for any other piece
 */
export function bytesOf(piece) {
  const spelt = /^<0x([0-9a-f]{2})>$/iu.exec(piece);
  if (spelt) return [Number.parseInt(spelt[1], 16)];
  const codes = [...piece].map((sign) => sign.codePointAt(0) ?? 0);
  const bytes = codes.map((code) => (isPlainByte(code) ? code : (FURTHER[code - 0x100] ?? -1)));
  return bytes.length === 0 || bytes.includes(-1) || bytes.every((byte) => byte < 0x80) ? null : bytes;
}

/** @param {number} byte */
export function byteName(byte) {
  return `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`;
}

/**
 * Whether an invisible character changes how its neighbours are drawn, as in an emoji made of three.
 * @param {string} sign
 * @param {string | undefined} before
 * @param {string | undefined} after
 */
function joins(sign, before = "", after = "") {
  if (/\p{Variation_Selector}/u.test(sign)) return before !== "" && !UNSEEN.test(before);
  if (sign !== "\u200d" && sign !== "\u200c") return false;
  const isPicture = sign === "\u200d" && PICTURE.test(after) && (PICTURE.test(before) || before === "\ufe0f");
  return isPicture || (JOINED.test(before) && JOINED.test(after));
}

/** @param {string} sign */
function written(sign) {
  if (SIGNS[sign]) return SIGNS[sign];
  const code = sign.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return `<${name(code)}>`;
}

/** @param {string} sign */
function spoken(sign) {
  /** @type {Record<string, string>} */
  const names = {
    " ": t("space"),
    "\t": t("tab"),
    "\u00a0": t("no-break space"),
    "\u3000": t("full-width space"),
  };
  if (BREAKS.has(sign)) return sign === "\n" ? t("line break") : t("carriage return");
  return names[sign] ?? name(sign.codePointAt(0) ?? 0);
}

/** @param {number} code */
function name(code) {
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** @param {number} code */
function isPlainByte(code) {
  return (code > 0x20 && code < 0x7f) || (code > 0xa0 && code < 0x100 && code !== 0xad);
}
