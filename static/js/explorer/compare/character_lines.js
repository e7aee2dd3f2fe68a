/**
 * Places of characters on a line on which the texts of a run follow each other. The lines of two runs with different
 * texts are one: a word of both has the same places in both, a word and what stands in its place share a single one.
 */

import { pairedUnits, range } from "./common_sequence.js";

/**
 * @typedef {object} CharacterLine
 * @property {string[][]} texts  by segment, as characters
 * @property {(segment: number, start: number, end: number) => {start: number, end: number}} placeOf
 * @property {(segment: number) => number} slotBefore  room for tokens that stand for no characters, before a text and
 *   behind the last one
 */

/** Scripts without spaces between words, which are taken sign by sign. */
const UNSPACED = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((name) => `\\p{Script=${name}}`)
  .join("");
/** A word, or a sign by itself. */
const WORD = new RegExp(`[${UNSPACED}]\\p{M}*|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+|[^\\s\\p{Z}]`, "gu");

/**
 * @param {string[]} texts  by segment
 * @returns {CharacterLine}
 */
export function lineOf(texts) {
  const signs = texts.map((text) => [...text]);
  const starts = signs.reduce((list, text) => [...list, (list.at(-1) ?? 0) + text.length + 2], [1]);
  return {
    texts: signs,
    placeOf: (segment, start, end) => ({ start: starts[segment] + start, end: starts[segment] + end }),
    slotBefore: (segment) => starts[segment] - 1,
  };
}

/**
 * @param {string[]} texts  by segment
 * @param {string[]} others
 * @returns {[CharacterLine, CharacterLine]}
 */
export function jointLines(texts, others) {
  const sides = [texts, others].map((list) => list.map((text) => [...text]));
  /** Of each character, by side and segment, where it begins and ends. @type {{start: number, end: number}[][][]} */
  const places = [[], []];
  /** @type {number[]} */
  const slots = [];
  let free = 0;
  for (const segment of range(0, Math.max(texts.length, others.length))) {
    slots.push(free++);
    const segmentPlaces = placed(texts[segment] ?? "", others[segment] ?? "", free);
    places[0].push(segmentPlaces.first);
    places[1].push(segmentPlaces.second);
    free = segmentPlaces.free;
  }
  slots.push(free);
  const [first, second] = sides.map((signs, side) => ({
    texts: signs,
    placeOf: (/** @type {number} */ segment, /** @type {number} */ start, /** @type {number} */ end) => ({
      start: places[side][segment][start].start,
      end: places[side][segment][end - 1].end,
    }),
    slotBefore: (/** @type {number} */ segment) => slots[segment],
  }));
  return [first, second];
}

/**
 * Places of the characters of two texts, from a first free one on. Blanks stand where the word before them ends.
 * @param {string} text
 * @param {string} other
 * @param {number} from
 */
function placed(text, other, from) {
  const words = { first: wordsOf(text), second: wordsOf(other) };
  const sides = /** @type {const} */ (["first", "second"]);
  const [first, second] = [text, other].map((string) =>
    Array.from([...string], () => ({ start: from, end: from + 1 })),
  );
  const places = { first, second };
  let free = from;
  const units = pairedUnits(
    words.first.map(({ word }) => word),
    words.second.map(({ word }) => word),
  );
  for (const unit of units) {
    const [firstWords, secondWords] = [
      unit.first.map((index) => words.first[index]),
      unit.second.map((index) => words.second[index]),
    ];
    const isAlike = firstWords.length === 1 && secondWords.length === 1 && firstWords[0].word === secondWords[0].word;
    const isAlone = firstWords.length === 0 || secondWords.length === 0;
    const size =
      isAlike || isAlone ? Math.max(...[...firstWords, ...secondWords].map(({ end, start }) => end - start)) : 1;
    for (const side of sides) {
      for (const wordIndex of unit[side]) {
        const { start, end } = words[side][wordIndex];
        range(start, end).forEach((sign, index) => {
          const place = isAlike || isAlone ? free + index : free;
          places[side][sign] = { start: place, end: place + 1 };
        });
      }
    }
    free += size;
  }
  return { ...places, free: Math.max(free, from + 1) };
}

/**
 * @param {string} text
 * @returns {{word: string, start: number, end: number}[]}  counted in characters
 */
function wordsOf(text) {
  let [unit, sign] = [0, 0];
  return [...text.matchAll(WORD)].map((match) => {
    const [word] = match;
    sign += [...text.slice(unit, match.index)].length;
    const start = sign;
    sign += [...word].length;
    unit = match.index + word.length;
    return { word, start, end: sign };
  });
}
