/** The page of why attention as data: its fields and the calls that a state makes. */

import { t } from "../../base/i18n.js";
import { choice, example, number, whole } from "../../base/fields.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} WhyState */
/** @typedef {import("../../api/types.js").AnswerTo<"why">} WhyAnswer */
/** @typedef {import("../../api/types.js").Call<"why/translation"> | import("../../api/types.js").Call<"why/asymmetry">} WhyCall  besides */
/** @typedef {import("../../api/types.js").AnswerTo<"why/translation">} Translation */
/** @typedef {import("../../api/types.js").AnswerTo<"why/asymmetry">} Asymmetry */
/** @typedef {import("../frame/concept.js").Answered<"why", WhyState, WhyCall[]>} WhyData */

const MOST_WORDS = 24;
const MOST_INSERTED = 40;
/** Gains beside the chosen one, where fading is compared. */
export const GAINS = [0.5, 0.9, 1.1, 1.3];
/** Inserted word by word between the word that asks and the one it asks for. */
const inserted = () =>
  t(
    "which had been out in heavy rain all night and caught nothing but a cold plus one very small mouse that got away again before dawn then slept until noon under our old apple tree while nobody ever noticed anything",
  ).split(" ");

export const fields = {
  view: choice(["ways", "distance", "translation", "asymmetry"]),
  words: example(() => t("The cat sat on the mat because it was tired."), 200),
  reader: whole(7, 0, MOST_WORDS - 1),
  asks: whole(7, 0, MOST_WORDS - 1),
  wanted: whole(1, 0, MOST_WORDS - 1),
  inserted: whole(0, 0, MOST_INSERTED),
  gain: number(0.9, 0.1, 2),
  dim: choice([16, 32, 64], 32),
  seed: whole(0, 0, 999),
  target: whole(0, 0, 3),
  difference: number(1, 0, 1),
  query: whole(6, 0, 10),
  key: whole(0, 0, 10),
};

/** The words as they are typed. @param {Readonly<Pick<WhyState, "words">>} state */
export function typedWords({ words }) {
  const found = words.split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
  return found.length ? found : ["…"];
}

/**
 * The text that is read: further words are inserted behind whichever of the two comes first, so that they move apart.
 * @param {Readonly<WhyState>} state
 */
export function textOf(state) {
  const typed = typedWords(state);
  const last = typed.length - 1;
  const behind = Math.min(state.asks, state.wanted, last);
  const place = (/** @type {number} */ index) =>
    Math.min(index, last) + (Math.min(index, last) > behind ? state.inserted : 0);
  const between = inserted().slice(0, state.inserted);
  // Typed words keep their vectors, whatever is inserted.
  const different = [...new Set([...typed, ...between])];
  const words = [...typed.slice(0, behind + 1), ...between, ...typed.slice(behind + 1)];
  return {
    words,
    numbers: words.map((word) => different.indexOf(word)),
    reader: place(state.reader),
    asks: place(state.asks),
    wanted: place(state.wanted),
    /** Where a typed word stands in the text. */
    place,
  };
}

/** @param {Readonly<WhyState>} state @returns {import("../../api/types.js").Body<"why">} */
export function request(state) {
  const { words, numbers, reader, asks, wanted } = textOf(state);
  const { gain, dim, seed } = state;
  const others = state.view === "distance" ? GAINS.filter((one) => one !== gain) : [];
  return { words, numbers, reader, asks, wanted, gains: [gain, ...others], dim, seed };
}

/** @param {Readonly<WhyState>} state @returns {WhyCall[]} */
export function also({ view, gain, dim, seed, difference }) {
  if (view === "translation") return [{ stem: "why/translation", body: { gain, dim, seed } }];
  if (view === "asymmetry") return [{ stem: "why/asymmetry", body: { difference } }];
  return [];
}

/** @param {WhyData} data @returns {Translation | null} */
export function translationOf({ others: [found] }) {
  return found && "through_one_vector" in found ? found : null;
}

/** @param {WhyData} data @returns {Asymmetry | null} */
export function asymmetryOf({ others: [found] }) {
  return found && "own" in found ? found : null;
}

/** @param {Readonly<WhyState>} state */
export function within(state) {
  const last = typedWords(state).length - 1;
  const { reader, asks, wanted } = state;
  return { reader: Math.min(reader, last), asks: Math.min(asks, last), wanted: Math.min(wanted, last) };
}

/** @param {WhyData} data @returns {[string, string][]} */
const typed = ({ state }) => typedWords(state).map((word, index) => [String(index), `${index} ${word}`]);

/** @type {import("../frame/concept.js").Choices<WhyData>} */
export const choices = { reader: typed, asks: typed, wanted: typed };
