/** Texts worth looking at first, each with the place to look. Their names are on the page's buttons. */

import { isUploaded } from "../../api/analyses.js";
import { DECODER, MINILM } from "../../wording/model_names.js";
import { DEFAULT_TEXT } from "./view_state.js";

/**
 * @typedef {object} Example
 * @property {string} id  of its button
 * @property {string} text
 * @property {string} [pair]
 * @property {string} [model]  where it can be seen at all; the others may be read by any model
 * @property {{layer: number, head: number, query: number, key: number | null}} at  in that model, else in MiniLM
 */

const LONG_TEXT = `An observatory is a quiet place. People climb the hill at dusk, open the dome, and wait for the sky to \
turn dark. The instrument itself does very little: it gathers light, holds still, and lets the observer look. What makes \
it useful is that it adds nothing of its own. If the mirror were bent, every star would carry the mark of the mirror, and \
nobody could tell the heavens from the glass. So the people who build such instruments spend most of their time on the \
dull questions. Is the scale right? Which way is north? Does the picture change when the room grows warm? A good \
observatory answers these before anybody asks. Looking at a language model is not so different. There is a sentence, and \
there are many small parts that each take a look at it. One part looks at the word before. Another looks at the word that \
a pronoun stands for. A third seems to look at nothing in particular, and rests on a comma or on the mark at the end. \
None of them was told to do so. They found their habits in training, as a path is found across a field, because it was \
the shortest way to somewhere. When we draw what they look at, we should draw exactly that, and say what the numbers \
mean, and which of them we changed on the way. A picture that is pretty and slightly wrong is worse than no picture, \
because it will be believed. The old astronomers knew this well. They kept their books by hand, wrote down the hour and \
the weather, and drew only what they had seen. When two of them disagreed they compared their notes, found the night on \
which one of them had been tired, and let the other one win. It was slow work, and it is why we trust their tables today. \
The dome closes in the morning. Somebody copies the numbers, somebody else checks them, and the hill is quiet again.`;

/** @returns {Example[]} */
export function examples() {
  return [
    { id: "pronoun", text: DEFAULT_TEXT, at: { layer: 5, head: 11, query: 8, key: 2 } },
    {
      id: "senses",
      text: "She sat on the bank of the river and thought about the bank that held her money.",
      at: { layer: 0, head: 4, query: 5, key: 8 },
    },
    {
      id: "two_texts",
      text: "Where does the river begin?",
      pair: "It begins as a small spring in the mountains.",
      at: { layer: 3, head: 1, query: 8, key: 4 },
    },
    {
      id: "japanese",
      text: "猫は疲れていたので、マットの上で眠った。",
      at: { layer: 0, head: 2, query: 2, key: 1 },
    },
    {
      id: "arabic",
      text: "جلست القطة على السجادة لأنها كانت متعبة.",
      at: { layer: 0, head: 2, query: 2, key: 1 },
    },
    {
      id: "repetition",
      text: "One black cat met two white dogs. One black cat met two white dogs.",
      model: DECODER,
      at: { layer: 1, head: 0, query: 12, key: 3 },
    },
    { id: "long_text", text: LONG_TEXT, at: { layer: 0, head: 2, query: 2, key: 1 } },
  ];
}

/**
 * What is asked for with an example.
 * @param {Example} example
 * @param {import("./view_state.js").ViewState} now
 * @param {import("../../api/types.js").Stage} stage
 * @returns {Partial<import("./view_state.js").ViewState>}
 */
export function exampleState(example, now, stage) {
  const { text, pair = "", at } = example;
  const model = modelFor(example, now);
  // What was changed in one model need not exist in another, nor its tokens.
  const none = { changes: "", baseline: false, answer: null, against: null, cell: "", output: null, flow: "" };
  const kept = model === now.model ? {} : none;
  return { model, text, pair, part: "", ...at, stage, rows: "", cols: "", ...kept };
}

/**
 * The model in which to show an example: its own, or the one that is chosen, unless an example brought that one.
 * @param {Example} example
 * @param {{model: string, text: string}} now
 */
export function modelFor({ model }, now) {
  if (model) return model;
  if (isUploaded(now.model)) return MINILM;
  const isBrought = examples().some((example) => example.model === now.model && example.text === now.text);
  return isBrought ? MINILM : now.model;
}
