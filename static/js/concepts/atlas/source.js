/** The data of the page: the list of atlases, the chosen one's heads, and what the view beside the map needs. */

import {
  circuitsPath,
  comparisonPath,
  compositionPath,
  getOfAtlas,
  headsPath,
  listPath,
  portraitPath,
  searchPath,
} from "../../api/atlases.js";
import { postAnalysis } from "../../api/analyses.js";
import { isRecorded } from "../../requests/recorded_answers.js";
import { createCachedResource } from "../../requests/cached_resource.js";
import { COPYING, firstHead, tableOf } from "./quantities.js";
import { createPointing } from "./pointing.js";
import { createScans } from "./scans/scans.js";

/** @typedef {import("../../api/atlases.js").AtlasFacts} AtlasFacts */
/** @typedef {import("../../api/atlases.js").AtlasList} AtlasList */
/** @typedef {import("../../api/atlases.js").HeadAt} HeadAt */
/** @typedef {import("../../requests/request_scheduler.js").Failure} Failure */
/** @typedef {import("./quantities.js").HeadTable} HeadTable */
/** @typedef {import("./state.js").AtlasState} AtlasState */

/**
 * @typedef {object} AtlasAnswer  null: not there yet, or not wanted
 * @property {import("./pointing.js").Pointing} pointing
 * @property {AtlasList | null} list
 * @property {AtlasFacts | null} facts  of the chosen atlas
 * @property {import("../../api/atlases.js").ScanState | null} scan  that is making it
 * @property {import("../../api/atlases.js").Heads | null} heads
 * @property {HeadTable | null} table
 * @property {HeadAt | null} at  the chosen head
 * @property {number} index  of it; −1 where there is none
 * @property {import("../../api/atlases.js").Portrait | null} portrait
 * @property {import("../../api/types.js").Analysis | null} analysis  of the text whose cell is searched for
 * @property {import("../../api/atlases.js").Found | null} found
 * @property {import("../../api/atlases.js").Comparison | null} comparison
 * @property {import("../../api/atlases.js").Heads | null} other  heads of the atlas compared with
 * @property {HeadTable | null} otherTable
 * @property {import("../../api/atlases.js").Circuits | null} circuits
 * @property {import("../../api/atlases.js").Composition | null} composition
 * @property {boolean} isWaiting
 * @property {(name: QuestionName) => Failure | null} failure
 * @property {ReturnType<typeof createScans>} scans
 */

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

const KEPT = 80;
const MOST_FOUND = 24;
const LOOK_MS = 1000;

/**
 * @param {() => void} onChange
 * @returns {(state: Readonly<AtlasState>) => AtlasAnswer}
 */
export function atlasSource(onChange) {
  let revision = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** The newest list that has arrived. @type {AtlasList | null} */
  let list = null;
  const scans = createScans((isOther) => {
    if (isOther) revision += 1;
    onChange();
  });
  /** @type {import("../../requests/cached_resource.js").CachedResource<Question, unknown>} */
  const answers = createCachedResource({
    ...{ lane: "atlas", kept: KEPT, limit: null, onChange },
    read: ({ path, body }, signal) => (body ? postAnalysis(body, signal) : getOfAtlas(path, signal)),
  });
  const tables = memoised((/** @type {import("../../api/atlases.js").Heads} */ heads) => tableOf(heads));
  const withScores = memoised((/** @type {import("../../api/atlases.js").Composition} */ { copying }) =>
    memoised((/** @type {import("../../api/atlases.js").Heads} */ heads) => tableOf(heads, copying)),
  );
  const pointing = createPointing();

  /** A corpus is being read: how far it is, the list says. */
  function lookAgain() {
    timer ??= setTimeout(() => {
      timer = undefined;
      revision += 1;
      onChange();
    }, LOOK_MS);
  }

  return (state) => {
    /** @type {Map<QuestionName, Question>} */
    const asked = new Map();
    /** @template T @param {QuestionName} name @param {Question | null} question @returns {T | null} */
    const want = (name, question) => {
      if (!question) return null;
      asked.set(name, question);
      return /** @type {T | undefined} */ (answers.peek(question)) ?? null;
    };

    /** @type {AtlasList | null} */
    const newest = want("list", { path: listPath(), revision });
    list = newest ?? list;
    scans.follow(list?.scans ?? []);
    const facts = list && chosenAtlas(list, state);
    const scan = scans.of(state.atlas, state.model);
    /** @type {import("../../api/atlases.js").Heads | null} */
    const heads = want("heads", facts && { path: headsPath(facts.id) });
    const isDecoder = facts?.kind === "decoder";
    const isOnMap = [state.x, state.y, state.colour, state.size].includes(COPYING);
    /** @type {import("../../api/atlases.js").Composition | null} */
    const composition = want(
      "composition",
      isDecoder && (isOnMap || state.view === "weights") ? { path: compositionPath(facts.model) } : null,
    );
    const table = heads && (composition ? withScores(composition)(heads) : tables(heads));
    const at = table && headOf(table, state);
    const index = table && at ? table.index(at) : -1;
    /** @type {import("../../api/atlases.js").Portrait | null} */
    const portrait = want("portrait", facts && at && { path: portraitPath(facts.id, at) });
    const { text, query, key, by, view, other: compared } = state;
    const isSearching =
      view === "search" && facts && at && text !== "" && query !== null && key !== null && !isRecorded();
    /** @type {import("../../api/types.js").Analysis | null} */
    const analysis = want(
      "analysis",
      isSearching ? { path: "/api/analyses", body: { model: facts.model, text } } : null,
    );
    /** @type {import("../../api/atlases.js").Found | null} */
    const found = want(
      "found",
      isSearching && analysis
        ? { path: searchPath(facts.id, { ...at, by, limit: MOST_FOUND, analysis: analysis.id, query, key }) }
        : null,
    );
    const isCompared = view === "compare" && facts && compared !== "" && compared !== facts.id;
    /** @type {import("../../api/atlases.js").Heads | null} */
    const other = want("other", isCompared ? { path: headsPath(compared) } : null);
    /** @type {import("../../api/atlases.js").Comparison | null} */
    const comparison = want("comparison", isCompared ? { path: comparisonPath(facts.id, compared) } : null);
    const isRead = view === "weights" && isDecoder && at;
    const { token } = state;
    /** @type {import("../../api/atlases.js").Circuits | null} */
    const circuits = want(
      "circuits",
      isRead ? { path: circuitsPath({ model: facts.model, layer: at.layer, head: at.head, token }) } : null,
    );

    const names = [...asked.keys()];
    const there = answers.take([...asked.values()]);
    // A list that is only brought up to date keeps nobody waiting.
    const missing = names.some((name, index) => there[index] === null && (name !== "list" || list === null));
    if (list?.corpora.some(({ state: standing }) => standing === "preparing")) lookAgain();
    const failure = (/** @type {QuestionName} */ name) => {
      const question = asked.get(name);
      return question ? answers.failureOf(question) : null;
    };
    const hasFailed = names.some((name) => failure(name)?.kind === "failed");
    return {
      pointing,
      ...{
        list,
        facts,
        scan,
        heads,
        table,
        at,
        index,
        portrait,
        analysis,
        found,
        comparison,
        other,
        circuits,
        composition,
      },
      otherTable: other && tables(other),
      ...{ isWaiting: missing && !hasFailed, failure, scans },
    };
  };
}

/**
 * The atlas in the address, else the first of the model in it, those made of the product's own corpus first.
 * @param {AtlasList} list
 * @param {Readonly<AtlasState>} state
 */
export function chosenAtlas({ atlases }, { atlas, model }) {
  if (atlas) return atlases.find((one) => one.id === atlas) ?? null;
  return atlases.find((one) => !model || one.model === model) ?? null;
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

/**
 * What is made of an answer, made once for each.
 * @template {object} A, R
 * @param {(answer: A) => R} make
 * @returns {(answer: A) => R}
 */
function memoised(make) {
  /** @type {WeakMap<A, R>} */
  const made = new WeakMap();
  return (answer) => {
    const known = made.get(answer) ?? make(answer);
    made.set(answer, known);
    return known;
  };
}
