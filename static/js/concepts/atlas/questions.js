/** What the page of atlases asks for in a state, and what it shows of the answers that are there. */

import {
  circuitsPath,
  comparisonPath,
  compositionPath,
  headsPath,
  portraitPath,
  searchPath,
} from "../../api/atlases.js";
import { COPYING, firstHead } from "./quantities.js";

/** @typedef {import("../../api/atlases.js").AtlasFacts} AtlasFacts */
/** @typedef {import("../../api/atlases.js").AtlasList} AtlasList */
/** @typedef {import("../../api/atlases.js").Composition} Composition */
/** @typedef {import("../../api/atlases.js").HeadAt} HeadAt */
/** @typedef {import("../../api/atlases.js").Heads} Heads */
/** @typedef {import("./quantities.js").HeadTable} HeadTable */
/** @typedef {import("./state.js").AtlasState} AtlasState */

/** Of what the page asks; in the answer by the same name. */
export const ANSWERS = /** @type {const} */ ([
  "list",
  "heads",
  "portrait",
  "analysis",
  "found",
  "other",
  "comparison",
  "circuits",
  "composition",
]);
/** @typedef {typeof ANSWERS[number]} QuestionName */
/** @typedef {{path: string, body?: {model: string, text: string}, revision?: number}} Question */
/** @typedef {<T>(name: QuestionName, question: Question | null) => T | null} Want  asks for it; null while it is not there */

const MOST_FOUND = 24;

/**
 * All but the list; each is asked for as soon as what it needs is there.
 * @param {Readonly<AtlasState>} state
 * @param {AtlasList | null} list
 * @param {object} source
 * @param {Want} source.want
 * @param {(heads: Heads, composition: Composition | null) => HeadTable} source.tableOf
 * @param {boolean} source.isLive  whether there is a server, which a search needs
 */
export function answersFor(state, list, { want, tableOf, isLive }) {
  const facts = list && chosenAtlas(list, state);
  /** @type {Heads | null} */
  const heads = want("heads", facts && { path: headsPath(facts.id) });
  const needsComposition = state.view === "weights" || [state.x, state.y, state.colour, state.size].includes(COPYING);
  /** @type {Composition | null} */
  const composition = want(
    "composition",
    facts?.kind === "decoder" && needsComposition ? { path: compositionPath(facts.model) } : null,
  );
  const table = heads && tableOf(heads, composition);
  const head = table && headOf(table, state);
  const index = table && head ? table.index(head) : -1;
  /** @type {import("../../api/atlases.js").Portrait | null} */
  const portrait = want("portrait", facts && head && { path: portraitPath(facts.id, head) });
  const { model = "" } = facts ?? {};
  const read = state.view === "weights" && facts?.kind === "decoder" ? head : null;
  /** @type {import("../../api/atlases.js").Circuits | null} */
  const circuits = want(
    "circuits",
    read && { path: circuitsPath({ model, layer: read.layer, head: read.head, token: state.token }) },
  );
  const search = searched(state, isLive ? facts : null, head, want);
  return {
    facts,
    heads,
    composition,
    table,
    at: head,
    index,
    portrait,
    circuits,
    ...search,
    ...compared(state, facts, want),
  };
}

/**
 * Cells like one of a text.
 * @param {Readonly<AtlasState>} state
 * @param {AtlasFacts | null} facts
 * @param {HeadAt | null} head
 * @param {Want} want
 */
function searched({ view, text, query, key, by }, facts, head, want) {
  const isSearching = view === "search" && facts && head && text !== "" && query !== null && key !== null;
  /** @type {import("../../api/types.js").Analysis | null} */
  const analysis = want("analysis", isSearching ? { path: "/api/analyses", body: { model: facts.model, text } } : null);
  const cell = isSearching && analysis && { ...head, by, limit: MOST_FOUND, analysis: analysis.id, query, key };
  /** @type {import("../../api/atlases.js").Found | null} */
  const matches = want("found", cell ? { path: searchPath(facts.id, cell) } : null);
  return { analysis, found: matches };
}

/**
 * The same heads in another atlas.
 * @param {Readonly<AtlasState>} state
 * @param {AtlasFacts | null} facts
 * @param {Want} want
 */
function compared({ view, other: id }, facts, want) {
  const isCompared = view === "compare" && facts && id !== "" && id !== facts.id;
  /** @type {Heads | null} */
  const other = want("other", isCompared ? { path: headsPath(id) } : null);
  /** @type {import("../../api/atlases.js").Comparison | null} */
  const comparison = want("comparison", isCompared ? { path: comparisonPath(facts.id, id) } : null);
  return { other, comparison };
}

/**
 * The atlas in the address, else the first of the model in it, those made of the product's own corpus first.
 * @param {AtlasList} list
 * @param {Readonly<AtlasState>} state
 */
export function chosenAtlas({ atlases }, { atlas, model }) {
  if (atlas) return atlases.find((entry) => entry.id === atlas) ?? null;
  return atlases.find((entry) => !model || entry.model === model) ?? null;
}

/**
 * @param {HeadTable} table
 * @param {Readonly<AtlasState>} state
 * @returns {HeadAt}
 */
function headOf(table, { part, layer, head }) {
  const wanted = { part: part || table.parts[0], layer: layer ?? -1, head: head ?? -1 };
  return table.index(wanted) >= 0 ? wanted : table.at(firstHead(table));
}
