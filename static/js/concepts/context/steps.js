/** From two hidden states to their cosine, with the numbers of the pair looked at. */

import { t } from "../../base/i18n.js";
import { tokenLabel } from "../../wording/labels.js";
import { bracket, formula, inline, name, number, over, row, size, sub, vector } from "../../base/maths/mathml.js";
import { fixed } from "../../base/numbers.js";
import { LETTERS, placeOf } from "./state.js";

/** @typedef {import("./state.js").Place} Place */

/** @param {number} value */
const n3 = (value) => number(fixed(value, 3));
/** @param {number} value */
const n4 = (value) => number(fixed(value, 4));
/** @param {number} index */
const h = (index) => sub(vector("h", "is-query"), name(LETTERS[index]));

/**
 * @param {readonly string[]} states  as the API calls them
 * @returns {string[]}
 */
export function stateNames(states) {
  return states.map((state) => {
    if (state === "table") return t("in the token table");
    if (state === "embeddings") return t("with its position");
    return t("after layer {layer}", { layer: state.replace("layer_", "") });
  });
}

/**
 * @param {import("./state.js").ContextAnswer} answer
 * @param {Place} at
 */
function numbersOf(answer, { first, second, state }) {
  const cosine = answer.cosines[state][first][second];
  const [one, other] = [answer.words[first].norms[state], answer.words[second].norms[state]];
  return { cosine, one, other, dot: cosine * one * other, baseline: answer.baseline?.[state] ?? null };
}

/**
 * @param {import("./state.js").ContextData} data
 * @returns {import("../frame/concept.js").Scene}
 */
export function calculation({ state, answer }) {
  const place = placeOf(state);
  return { formulas: formulas(answer, place), steps: stepsOf(answer, place), table: comparisonTable(answer, place) };
}

/**
 * @param {import("./state.js").ContextAnswer} answer
 * @param {Place} place
 */
function formulas(answer, place) {
  const { cosine, one, other, dot } = numbersOf(answer, place);
  return [
    formula(
      row(name("cos"), bracket(h(place.first), ",", h(place.second))),
      "=",
      over(row(h(place.first), "·", h(place.second)), row(size(h(place.first)), size(h(place.second)))),
      "=",
      over(n3(dot), row(n3(one), "·", n3(other))),
      "=",
      n4(cosine),
    ),
  ];
}

/**
 * @param {import("./state.js").ContextAnswer} answer
 * @param {Place} chosen
 * @returns {import("../frame/concept.js").Step[]}
 */
function stepsOf(answer, chosen) {
  const { first, second, state } = chosen;
  const { cosine, one, other, dot, baseline } = numbersOf(answer, chosen);
  const where = stateNames(answer.states)[state];
  const pieces = [first, second].map((index) => piecesOf(answer.words[index]));
  return [
    {
      name: t("Tokens"),
      says: answer.same_tokens[first][second]
        ? t("The word is the same in both sentences, so the model starts with the same vector.")
        : t("The two sentences split the word into different tokens, so it starts with different vectors."),
      line: text(
        [first, second]
          .map(
            (index, place) =>
              `${LETTERS[index]}: ${pieces[place].map(({ label, id }) => `${label} (${id})`).join(" ")}`,
          )
          .join("   "),
      ),
    },
    {
      name: t("Vectors"),
      says: t("Its hidden state {state}; the mean, where the word is several tokens. How long the two are:", {
        state: where,
      }),
      line: inline(size(h(first)), "=", n3(one), ",", size(h(second)), "=", n3(other)),
    },
    {
      name: t("Dot product"),
      says: t("Multiplied element by element and summed."),
      line: inline(h(first), "·", h(second), "=", n3(dot)),
    },
    {
      name: t("Cosine"),
      says: t("Dividing by both lengths leaves only the direction: 1 means the same direction, 0 orthogonal."),
      line: inline(over(n3(dot), row(n3(one), "·", n3(other))), "=", n4(cosine)),
    },
    {
      name: t("Compared with other words"),
      says:
        baseline === null
          ? t("There are no other words to compare with.")
          : t(
              "Two different words of these sentences have this cosine on average. Only what exceeds it is specific to the word.",
            ),
      line: baseline === null ? text("") : inline(n4(cosine), "−", bracket(n4(baseline)), "=", n4(cosine - baseline)),
    },
  ];
}

/**
 * Every state of the pair; the last line is the lowest cosine.
 * @param {import("./state.js").ContextAnswer} answer
 * @param {Place} place
 * @returns {import("../frame/concept.js").StepTable}
 */
function comparisonTable(answer, place) {
  const names = stateNames(answer.states);
  const numbers = names.map((_, state) => numbersOf(answer, { ...place, state }));
  const [one, other] = [LETTERS[place.first], LETTERS[place.second]];
  const lowest = numbers.reduce((best, entry, index) => (entry.cosine < numbers[best].cosine ? index : best), 0);
  const cells = (/** @type {ReturnType<typeof numbersOf>} */ entry) => [
    fixed(entry.one, 3),
    fixed(entry.other, 3),
    fixed(entry.dot, 3),
    fixed(entry.cosine, 4),
    entry.baseline === null ? "" : fixed(entry.baseline, 4),
    entry.baseline === null ? "" : fixed(entry.cosine - entry.baseline, 4),
  ];
  return {
    caption: t("The word of sentences {one} and {other} in every state", { one, other }),
    columns: [
      { name: t("state"), step: 0 },
      { name: `|h${one}|`, step: 2 },
      { name: `|h${other}|`, step: 2 },
      { name: `h${one} · h${other}`, step: 3 },
      { name: t("cosine"), step: 4 },
      { name: t("different words"), step: 5 },
      { name: t("above them"), step: 5 },
    ],
    rows: names.map((state, index) => [state, ...cells(numbers[index])]),
    sums: [t("lowest: {state}", { state: names[lowest] }), ...cells(numbers[lowest])],
    chosen: place.state,
  };
}

/** @param {import("./state.js").ContextAnswer["words"][number]} word */
function piecesOf(word) {
  return word.word_tokens.map((index) => {
    const token = word.tokens[index];
    return { label: tokenLabel(token), id: token.id };
  });
}

/** @param {string} said */
function text(said) {
  const line = document.createElement("span");
  line.textContent = said;
  return line;
}
