/** The page of atlases as data: which atlas and head, what the map shows, and what is looked at beside it. */

import { choice, count, flag, text } from "../../base/fields.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} AtlasState */
/** @typedef {import("../../api/atlases.js").HeadAt} HeadAt */
/** @typedef {import("./source.js").AtlasAnswer} AtlasAnswer */
/** @typedef {{state: Readonly<AtlasState>, answer: AtlasAnswer}} AtlasData */
/** @typedef {import("../frame/concept.js").ConceptView<AtlasData>} AtlasView */
/** @typedef {(typeof VIEWS)[number]} ViewName */

/** What stands beside the map, in the order of its tabs. */
export const VIEWS = /** @type {const} */ ([
  "portrait",
  "examples",
  "relations",
  "search",
  "weights",
  "compare",
  "corpus",
]);

/** Which examples are shown: the strongest, or a sample of one tenth of all queries. */
export const SAMPLES = /** @type {const} */ (["strongest", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);

/** By which vectors cells are compared. */
export const VECTORS = /** @type {const} */ (["all", "query", "key", "output"]);

/** What of a later head it is that an earlier one writes into. */
export const COMPOSED = /** @type {const} */ (["query", "key", "value"]);

const LONGEST_TEXT = 1200;

export const fields = {
  /** "" for the first, or the first of `model` */
  atlas: text("", 64),
  /** where no atlas is named: whose atlas is wanted */
  model: text("", 200),
  /** "" for the first */
  part: text("", 40),
  /** null: the head that attends most to the previous token */
  layer: count(null),
  head: count(null),
  view: choice(VIEWS),
  /** quantities */
  x: text("layer", 100),
  y: text("mean_distance", 100),
  colour: text("entropy", 100),
  /** "" for points of one size */
  size: text("", 100),
  /** further heads, as "layer.head_layer.head" */
  heads: text("", 4000),
  sample: choice(SAMPLES),
  /** whether the first token and separators are set aside, which take most of many heads' strongest weights */
  aside: flag(true),
  pairs: choice(/** @type {const} */ (["token", "upos"])),
  /** of the table of relations: that which colours the map, as "nsubj.dependent_to_head" */
  relation: text("", 100),
  /** the cell whose like is searched for */
  text: text("", LONGEST_TEXT),
  query: count(null),
  key: count(null),
  by: choice(VECTORS),
  /** atlas to compare with */
  other: text("", 64),
  /** which composition scores the matrix shows */
  composed: choice(COMPOSED),
  /** of the vocabulary */
  token: text("", 200),
};

/** @type {(keyof AtlasState)[]} */
export const presetFields = ["x", "y", "colour", "size"];

/** @type {import("../frame/concept.js").Dependents<AtlasState>} */
export const dependents = { atlas: () => ({ model: "", other: "" }) };

/** The scan that makes this atlas. @param {Readonly<AtlasState>} state */
export function request({ model }) {
  return { model, corpus: "probe" };
}

/**
 * What the answer makes of the state: names of the chosen atlas and head, and only quantities that there are.
 * @param {Readonly<AtlasState>} state
 * @param {AtlasAnswer} answer
 * @returns {Partial<AtlasState>}
 */
export function within({ x, y, colour, size }, { facts, table, at }) {
  if (!facts) return {};
  const known = (/** @type {string} */ id, /** @type {string} */ start) => (!table || table.quantity(id) ? id : start);
  return {
    atlas: facts.id,
    ...(at ?? {}),
    x: known(x, "layer"),
    y: known(y, "mean_distance"),
    colour: known(colour, "entropy"),
    size: known(size, ""),
  };
}

/** @param {readonly HeadAt[]} heads @returns {string}  as the address has it */
export function writeHeads(heads) {
  return heads.map(({ part, layer, head }) => `${part}.${layer}.${head}`).join("_");
}

/**
 * @param {string} text  as the address has it
 * @returns {HeadAt[]}
 */
export function readHeads(text) {
  return text.split("_").flatMap((one) => {
    const [part, layer, head] = one.split(".");
    return /^\d+$/.test(layer ?? "") && /^\d+$/.test(head ?? "")
      ? [{ part, layer: Number(layer), head: Number(head) }]
      : [];
  });
}
