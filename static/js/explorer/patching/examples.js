/** Pairs of prompts worth patching, for the shipped decoder. */

import { t } from "../../base/i18n.js";
import { DECODER } from "../../page/model_choice.js";
import { headCode } from "../../wording/labels.js";
import { writeState } from "../state/view_state.js";

/** @typedef {import("../state/view_state.js").ViewState} ViewState */

const LIST = "Pacific Duke Sonic Norfolk Juliet Burma Madonna . Pacific Duke Sonic";
const STORY = "Then , Paul and Henry went to the park . Henry gave a ring to";
/** Ids of “ Paul” and “ Henry” in the shipped decoder's vocabulary. */
const NAMES = { answer: 2200, against: 1636 };

/** What an example leaves at its default. */
const NONE = {
  ...{
    pair: "",
    target: "",
    chat: false,
    system: "",
    picture: "",
    part: "",
    ...{ answer: null, answerText: "", against: null, againstText: "" },
    answerAt: null,
    changes: "",
    baseline: false,
  },
  ...{ places: /** @type {const} */ ("head"), patchedAt: null, noising: false, paths: /** @type {const} */ ("") },
  ...{ query: null, key: null, rows: "", cols: "", pathHead: "", heldFeedForward: false },
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
      },
    },
    {
      name: t("Induction: the word copied"),
      notice: t(
        "Another word follows “Sonic” the first time. Queries, keys and patterns hardly matter; the values of {first} and {second} carry what is copied.",
        heads,
      ),
      state: { text: LIST, corrupt: LIST.replace("Norfolk", "Wales"), patched: "values" },
    },
    {
      name: t("Indirect object"),
      notice: t(
        "“Paul” against “Henry” (Wang et al. 2022). The shipped decoder cannot do this: over 56 pairs of names the difference is 0.01 on average, and the right name is ahead in 52 % of them. The two runs hardly differ, so these effects say little. Choose GPT-2 to repeat the study, if it is at hand.",
      ),
      state: { text: STORY, corrupt: STORY.replace("Henry gave", "Paul gave"), patched: "output", ...NAMES },
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
 * @param {Pick<ViewState, "text" | "corrupt" | "numbering">} value
 */
export function noticeOn({ text, corrupt, numbering }) {
  const shown = examples(numbering).find(({ state }) => state.text === text && state.corrupt === corrupt);
  return shown?.notice ?? "";
}
