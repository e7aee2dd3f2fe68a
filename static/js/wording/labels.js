/** Labels of tokens, heads and stages. */

import { t } from "../base/i18n.js";
import { duration } from "../base/numbers.js";
import { patchPlace } from "./patches.js";
import { byteName, bytesOf, isolated, stretches, visible } from "./token_text.js";

/** @typedef {import("../api/types.js").Token} Token */
/** @typedef {import("../api/types.js").Stage} Stage */

const RIGHT_TO_LEFT = /[\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Adlam}]/u;
/** SentencePiece's sign for a space before a word. */
const BLANK = "▁";
/** Spaces in tokens that came as their vocabulary spells them, without a tokenizer to decode them. */
const SPELT_BLANKS = /^[Ġ▁]+/u;

/**
 * A token's text as stretches in which every character is visible; never empty.
 * @param {Token} token
 * @returns {import("./token_text.js").Stretch[]}
 */
export function tokenStretches(token) {
  const place = patchPlace(token);
  const label = place ? t("row {row}, column {column}", place) : token.label;
  if (label) return [{ text: label, said: label, isSign: false }];
  const parts = stretches(tokenText(token));
  if (parts.length > 0) return parts;
  if (token.token) return stretches(token.token);
  return [{ text: "∅", said: t("empty"), isSign: true }];
}

/**
 * A token as a label: its text with spaces, all visible, never empty.
 * @param {Token} token
 * @returns {string}
 */
export function tokenLabel(token) {
  return tokenStretches(token)
    .map(({ text }) => text)
    .join("");
}

/**
 * The full description of a token, for where its label may be shortened.
 * @param {Token} token
 * @param {0 | 1} numbering
 * @returns {string}
 */
export function tokenTitle(token, numbering) {
  const label = tokenLabel(token);
  const place = t("token {index}", { index: token.index + numbering });
  const piece = token.token && visible(token.token);
  const said = [isolated(label), place, piece !== label && piece, token.special && t("special token")];
  return said.filter(Boolean).join(" · ");
}

/**
 * What a token says: its text, which the server made of a token of a text. Of one that came as its vocabulary spells
 * it, the text without the word-continuation sign and with the space that decoding omits.
 * @param {Token} token
 * @returns {string}
 */
export function tokenText({ text, token: piece = "", start = null }) {
  const isFinished = start !== null;
  const bare = !isFinished && piece.startsWith("##") ? text.replace(/^##(?=.)/su, "") : text;
  if (text === piece && !isFinished && SPELT_BLANKS.test(text))
    return text.replace(SPELT_BLANKS, (blanks) => " ".repeat(blanks.length));
  const bytes = bytesOf(piece);
  // A character may be split into pieces that look the same; their bytes distinguish them.
  if (bytes && piece !== bare && new TextEncoder().encode(bare).length > bytes.length)
    return bare + bytes.map(byteName).join("");
  return !isFinished && piece.startsWith(BLANK) && !/^\s/u.test(bare) ? ` ${bare}` : bare;
}

/**
 * A token of the vocabulary, not of a text: it keeps its word-continuation sign.
 * @param {string} text
 * @returns {import("../api/types.js").Token}
 */
export function looseToken(text) {
  return { index: 0, id: 0, text, start: null, end: null, special: false, segment: null };
}

/**
 * A class of a classifier, which has a name of its own: the spaces in “circle, ring” are no token's.
 * @param {string} name
 * @returns {Token}
 */
export function classToken(name) {
  return { ...looseToken(name), label: name };
}

/** @typedef {{id: number, text: string, written?: string | null}} Piece */

/**
 * What stands for a token without a name, as the server writes it: a model may have more outputs than tokens.
 * @param {number} id
 */
const nameless = (id) => `∅#${id}`;

/**
 * Pieces of a vocabulary, or classes, with distinct labels: ids are added to those with the same text.
 * @param {Piece[]} pieces
 * @param {boolean} [areClasses]
 * @returns {Token[]}
 */
export function piecesApart(pieces, areClasses = false) {
  const tokens = pieces.map(({ id, text, written }) =>
    areClasses ? classToken(text) : looseToken(written || text || nameless(id)),
  );
  const labels = tokens.map(tokenLabel);
  const looks = labels.map((label) => label.normalize("NFC"));
  return tokens.map((token, index) => {
    const isAlike = looks.some((look, other) => look === looks[index] && pieces[other].id !== pieces[index].id);
    return isAlike ? { ...token, label: `${labels[index]} #${pieces[index].id}` } : token;
  });
}

/**
 * A short label: row and column of a patch.
 * @param {Token} token
 * @returns {string}
 */
export function briefLabel(token) {
  return token.box ? token.text : tokenLabel(token);
}

/**
 * The same by number.
 * @param {Piece[]} pieces
 * @param {boolean} [areClasses]
 * @returns {(id: number) => Token}
 */
export function piecesById(pieces, areClasses = false) {
  const apart = piecesApart(pieces, areClasses);
  const names = new Map(pieces.map(({ id }, index) => [id, apart[index]]));
  return (id) => names.get(id) ?? looseToken(nameless(id));
}

/**
 * Whether a token is of the same word as the one before it. The server says which words there are.
 * @param {Token} token
 * @param {Token | undefined} previous
 * @returns {boolean}
 */
export function continuesWord(token, previous) {
  return typeof token.word === "number" && token.word === previous?.word;
}

/**
 * The writing direction of a text: that of its first letter.
 * @param {readonly Token[]} tokens
 * @returns {"ltr" | "rtl"}
 */
export function direction(tokens) {
  const first = tokens.find((token) => !token.special && /\p{L}/u.test(token.text));
  return first && RIGHT_TO_LEFT.test(first.text) ? "rtl" : "ltr";
}

/**
 * @param {number} layer
 * @param {number} head
 * @param {0 | 1} numbering
 * @returns {string}
 */
export function headName(layer, head, numbering) {
  return t("Layer {layer}, head {head}", { layer: layer + numbering, head: head + numbering });
}

/**
 * The same where there is little room: "L5 H11", in every language.
 * @param {number} layer
 * @param {number} head
 * @param {0 | 1} numbering
 * @returns {string}
 */
export function headCode(layer, head, numbering) {
  return `L${layer + numbering} H${head + numbering}`;
}

/**
 * @param {Stage | "difference" | "attribution" | "rollout" | "mean" | "deviation"} stage
 * @returns {string}
 */
export function stageName(stage) {
  return {
    difference: t("difference"),
    attribution: t("weight × gradient"),
    rollout: t("rollout"),
    mean: t("mean weight"),
    deviation: t("standard deviation"),
    raw_scores: t("raw scores"),
    scaled_scores: t("scaled scores"),
    masked_scores: t("masked scores"),
    weights: t("weights"),
    value_weighted: t("weights × values"),
    norm_weighted: t("contributions"),
  }[stage];
}

/**
 * A metric's title in the reader's language.
 * @param {string} name
 * @param {{title: string} | undefined} info
 * @returns {string}
 */
export function metricTitle(name, info) {
  return info ? t(info.title) : name;
}

/**
 * @param {string} part
 * @returns {string}
 */
export function partName(part) {
  /** @type {Record<string, string>} */
  const names = { encoder: t("Encoder"), decoder: t("Decoder"), cross: t("Cross-attention") };
  return names[part] ?? part;
}

/**
 * How a model encodes positions.
 * @param {string} kind  as the catalogue says it
 * @returns {string}
 */
export function positionsName(kind) {
  /** @type {Record<string, string>} */
  const names = {
    learned: t("learned"),
    sinusoidal: t("sinusoidal"),
    rope: "RoPE",
    alibi: "ALiBi",
    relative_bias: t("bias by distance"),
    none: t("none"),
  };
  return names[kind] ?? kind;
}

/**
 * The same where there is little room.
 * @param {Stage} stage
 * @returns {string}
 */
export function shortStage(stage) {
  return {
    raw_scores: t("raw"),
    scaled_scores: t("scaled"),
    masked_scores: t("masked"),
    weights: t("weights"),
    value_weighted: "α ‖v‖",
    norm_weighted: "‖α f(x)‖",
  }[stage];
}

/**
 * @param {Stage} stage
 * @returns {string}
 */
export function stageMeaning(stage) {
  return {
    raw_scores: t("query · key: the plain dot product of each pair, before scaling"),
    scaled_scores: t("query · key / √d: the dot products divided by the square root of the head dimension"),
    masked_scores: t("scores with position bias added and masked cells set to −∞"),
    weights: t("softmax of each row"),
    value_weighted: t("each weight times the length of its value vector"),
    norm_weighted: t("length of what is added to the query's state (Kobayashi et al. 2020)"),
  }[stage];
}

/**
 * A one-line summary of an analysis: tokens and time of computing.
 * @param {import("../api/types.js").Analysis | null} analysis
 * @returns {string}
 */
export function summary(analysis) {
  if (!analysis) return "";
  const { tokens, timings_ms: timings } = analysis;
  const total = timings.total ?? Object.values(timings).reduce((sum, ms) => sum + ms, 0);
  return t("{count} tokens · {time}", { count: tokens.length, time: duration(total) });
}
