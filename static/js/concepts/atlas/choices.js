/** What the selects of the page offer. */

import { t } from "../../base/i18n.js";

/** @typedef {import("./state.js").AtlasData} AtlasData */

/** @param {(one: import("./quantities.js").Quantity) => boolean} [isOffered] */
function quantities(isOffered = () => true) {
  return (/** @type {AtlasData} */ { answer: { table } }) =>
    table &&
    [...table.quantities].filter(isOffered).map(({ id, title }) => /** @type {[string, string]} */ ([id, title]));
}

/** @typedef {import("../../api/atlases.js").AtlasFacts} AtlasFacts */

/** A model's name without its architecture. @param {AtlasFacts} facts */
const shortTitle = ({ model_title: title }) => title.replace(/ \([^()]*\)$/, "");

/**
 * Atlases in a few words: the model, in short where that is enough to tell it from the others, and the corpus.
 * @param {readonly AtlasFacts[]} atlases
 * @returns {[string, string][]}
 */
export function named(atlases) {
  return atlases.map((atlas) => {
    const isAlone = atlases.every((other) => other.model === atlas.model || shortTitle(other) !== shortTitle(atlas));
    return [atlas.id, `${isAlone ? shortTitle(atlas) : atlas.model_title} · ${atlas.corpus}`];
  });
}

const axis = quantities(({ isKind }) => !isKind);

/** @type {import("../frame/concept.js").Choices<AtlasData>} */
export const choices = {
  atlas: ({ state, answer: { list } }) => {
    if (!list) return null;
    const options = named(list.atlases);
    return options.some(([id]) => id === state.atlas) ? options : [[state.atlas, t("no atlas")], ...options];
  },
  x: axis,
  y: axis,
  colour: quantities(),
  size: (data) => [["", t("the same for all")], ...(axis(data) ?? [])],
  other: ({ answer: { list, facts } }) => [
    ["", t("choose …")],
    ...named(list?.atlases ?? []).filter(([id]) => id !== facts?.id),
  ],
};
