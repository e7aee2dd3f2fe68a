/** Pairs of prompts worth patching, for the shipped decoders. */

import { t } from "../../base/i18n.js";
import { DECODER, NAMES_DECODER } from "../../wording/model_names.js";
import { headCode } from "../../wording/labels.js";
import { writeState } from "../state/view_state.js";

/** @typedef {import("../state/view_state.js").ViewState} ViewState */

const LIST = "Pacific Duke Sonic Norfolk Juliet Burma Madonna . Pacific Duke Sonic";
const STORY = "When Mary and John went to the store, John gave a drink to";

/** At the second “Sonic” it attends to “Norfolk”. */
const INDUCTION = { layer: 1, head: 0, query: 12, key: 5 };

/** What an example leaves at its default. */
const NONE = {
  pair: "",
  target: "",
  chat: false,
  system: "",
  picture: "",
  corruptPicture: "",
  part: "",
  answer: null,
  answerText: "",
  against: null,
  againstText: "",
  answerAt: null,
  changes: "",
  baseline: false,
  places: /** @type {const} */ ("head"),
  patchedAt: null,
  noising: false,
  paths: /** @type {const} */ (""),
  query: null,
  key: null,
  rows: "",
  cols: "",
  pathHead: "",
  heldFeedForward: false,
};

/**
 * @param {0 | 1} numbering
 * @returns {{name: string, notice: string, state: Partial<ViewState>}[]}
 */
export function examples(numbering) {
  const code = (/** @type {number} */ layer, /** @type {number} */ head) => headCode(layer, head, numbering);
  const heads = { first: code(1, 0), second: code(1, 1), third: code(0, 0), fourth: code(0, 1) };
  return [
    {
      name: t("Induction: the word before"),
      notice: t(
        "Two words of the list are exchanged, so that another word follows “Sonic”. The patterns of {first} and {second} decide, and their keys come from {third} and {fourth}, which attend to the previous token.",
        heads,
      ),
      state: {
        text: LIST,
        corrupt: "Pacific Duke Burma Norfolk Juliet Sonic Madonna . Pacific Duke Sonic",
        patched: "pattern",
        ...INDUCTION,
      },
    },
    {
      name: t("Induction: the word copied"),
      notice: t(
        "Another word follows “Sonic” the first time. Queries, keys and patterns hardly matter; the values of {first} and {second} carry what is copied.",
        heads,
      ),
      state: { text: LIST, corrupt: LIST.replace("Norfolk", "Wales"), patched: "values", ...INDUCTION },
    },
    {
      name: t("Indirect object"),
      notice: t(
        "“Mary” against “John” (Wang et al. 2022), in a decoder that was trained on such sentences. {duplicate} attends from the second “John” to the first; {first}, {second} and {third} bring to the end what it found; there {mover} attends to “Mary”.",
        {
          duplicate: code(0, 5),
          mover: code(3, 4),
          first: code(0, 0),
          second: code(1, 3),
          third: code(2, 2),
        },
      ),
      state: {
        model: NAMES_DECODER,
        text: STORY,
        corrupt: STORY.replace("John gave", "Mary gave"),
        patched: "output",
        layer: 0,
        head: 5,
        query: 9,
        key: 3,
      },
    },
  ];
}

/**
 * @param {ViewState} value
 * @param {Partial<ViewState>} state
 */
export function exampleAddress(value, state) {
  return writeState({ ...value, ...NONE, model: DECODER, ...state, view: "patching" });
}

/**
 * What is to see in the example that is shown; "" for prompts of one's own.
 * @param {Pick<ViewState, "model" | "text" | "corrupt" | "numbering">} value
 */
export function noticeOn({ model, text, corrupt, numbering }) {
  const shown = examples(numbering).find(
    ({ state }) => state.text === text && state.corrupt === corrupt && (state.model ?? DECODER) === model,
  );
  return shown?.notice ?? "";
}
