/** Ready sets of prompts, in English as the models' vocabularies are. */

import { t } from "../../../base/i18n.js";
import { EMPTY_SET } from "../../state/prompt_set.js";

/** @typedef {import("../../state/prompt_set.js").SetText} SetText */

/** Six random words, twice: what a head does with the second occurrence cannot come from grammar. */
const WORDS = [
  ["tree", "glass", "north", "song", "river", "paper", "stone", "clock"],
  ["door", "milk", "seven", "wind", "chair", "island", "green", "wheel"],
  ["plane", "salt", "winter", "voice", "bridge", "metal", "garden", "train"],
  ["road", "queen", "sugar", "cloud", "letter", "silver", "horse", "window"],
  ["ship", "bread", "music", "corner", "apple", "field", "summer", "coat"],
  ["bird", "table", "circle", "market", "snow", "brother", "yellow", "star"],
];

/**
 * @returns {{id: string, title: string, set: SetText}[]}
 */
export function readySets() {
  // Each of them is one token of the models at hand, so that it can be the expected one.
  const names = "John, Peter, Jack, Thomas";
  return [
    {
      id: "names",
      title: t("Two names, one said twice (indirect object)"),
      set: {
        ...EMPTY_SET,
        template: "When {A} and {B} went to the {place}, {B} gave a drink to",
        slots: `A: ${names}\nB: ${names}\nplace: store, school`,
        answers: "{A}",
      },
    },
    {
      id: "words",
      title: t("Random words, repeated (induction)"),
      set: {
        ...EMPTY_SET,
        template: "{a} {b} {c} {d} {e} {f} {a} {b} {c} {d} {e} {f}",
        slots: WORDS.map((words, index) => `${"abcdef"[index]}: ${words.join(", ")}`).join("\n"),
        pairing: "row",
      },
    },
    {
      id: "pronouns",
      title: t("The same sentence with other pronouns"),
      set: {
        ...EMPTY_SET,
        template: "The {X} asked the {Y} for help because {P} could not see.",
        slots: "X: doctor, nurse, teacher, pilot\nY: doctor, nurse, teacher, pilot\nP: he, she, they",
      },
    },
  ];
}
