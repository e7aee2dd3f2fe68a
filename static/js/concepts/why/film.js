/** A recurrent network reads word after word, and the first one fades. */

import { fixed } from "../../base/numbers.js";
import { t } from "../../base/i18n.js";
import { typedWords } from "./state.js";

/** @typedef {import("./state.js").WhyData} WhyData */

/** @param {WhyData} data @returns {import("../frame/film.js").Shot<import("./state.js").WhyState>[]} */
export function film({ state, answer }) {
  if (state.view !== "ways") return [];
  const [network] = answer.recurrent;
  // Each shot's numbers are in the answer that is drawn with it.
  const first = { word: answer.words[answer.reader], first: answer.words[0], share: fixed(network.shares[0], 3) };
  return typedWords(state).map((_, reader) => ({
    patch: { reader, step: 2 },
    says:
      answer.reader === 0
        ? t("“{first}” has been read: the state comes from it alone.", first)
        : t("“{word}” has been read. Of all influence on the state, “{first}” still has {share}.", first),
  }));
}
