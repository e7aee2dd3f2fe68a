/** The data of the page: the list of atlases, the chosen one's heads, and what the view beside the map needs. */

import { getOfAtlas, listPath } from "../../api/atlases.js";
import { postAnalysis } from "../../api/analyses.js";
import { isRecorded } from "../../requests/recorded_answers.js";
import { createCachedResource } from "../../requests/cached_resource.js";
import { madeOnce } from "../../base/memoise.js";
import { createPointing } from "./pointing.js";
import { tableOf } from "./quantities.js";
import { answersFor } from "./questions.js";
import { createScans } from "./scans/scans.js";

/** @typedef {import("./questions.js").Question} Question */
/** @typedef {import("./questions.js").QuestionName} QuestionName */
/** @typedef {import("../../api/atlases.js").AtlasFacts} AtlasFacts */
/** @typedef {import("../../api/atlases.js").AtlasList} AtlasList */
/** @typedef {import("../../api/atlases.js").Composition} Composition */
/** @typedef {import("../../api/atlases.js").HeadAt} HeadAt */
/** @typedef {import("../../api/atlases.js").Heads} Heads */
/** @typedef {import("../../requests/cached_resource.js").CachedResource<Question, unknown>} Answers */
/** @typedef {import("../../requests/request_scheduler.js").Failure} Failure */
/** @typedef {import("./quantities.js").HeadTable} HeadTable */
/** @typedef {import("./state.js").AtlasState} AtlasState */

/**
 * @typedef {object} AtlasAnswer  null: not there yet, or not wanted
 * @property {import("./pointing.js").Pointing} pointing
 * @property {AtlasList | null} list
 * @property {AtlasFacts | null} facts  of the chosen atlas
 * @property {import("../../api/atlases.js").ScanState | null} scan  that is making it
 * @property {Heads | null} heads
 * @property {HeadTable | null} table
 * @property {HeadAt | null} at  the chosen head
 * @property {number} index  of it; −1 where there is none
 * @property {import("../../api/atlases.js").Portrait | null} portrait
 * @property {import("../../api/types.js").Analysis | null} analysis  of the text whose cell is searched for
 * @property {import("../../api/atlases.js").Found | null} found
 * @property {import("../../api/atlases.js").Comparison | null} comparison
 * @property {Heads | null} other  heads of the atlas compared with
 * @property {HeadTable | null} otherTable
 * @property {import("../../api/atlases.js").Circuits | null} circuits
 * @property {Composition | null} composition
 * @property {boolean} isWaiting
 * @property {(name: QuestionName) => Failure | null} failure
 * @property {ReturnType<typeof createScans>} scans
 */

const KEPT = 80;
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
  /** @type {Answers} */
  const answers = createCachedResource({
    lane: "atlas",
    kept: KEPT,
    limit: null,
    onChange,
    read: ({ path, body }, signal) => (body ? postAnalysis(body, signal) : getOfAtlas(path, signal)),
  });
  const tables = createTables();
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
    const asked = createAsking(answers);
    list = /** @type {AtlasList | null} */ (asked.want("list", { path: listPath(), revision })) ?? list;
    scans.follow(list?.scans ?? []);
    const found = answersFor(state, list, { want: asked.want, tableOf: tables, isLive: !isRecorded() });
    // A list that is only brought up to date keeps nobody waiting.
    const isMissing = asked.missing().some((name) => name !== "list" || list === null);
    if (list?.corpora.some(({ state: standing }) => standing === "preparing")) lookAgain();
    return {
      ...found,
      pointing,
      list,
      scan: scans.of(state.atlas, state.model),
      otherTable: found.other && tables(found.other),
      isWaiting: isMissing && !asked.hasFailed(),
      failure: asked.failure,
      scans,
    };
  };
}

/**
 * What is asked for in one state.
 * @param {Answers} answers
 */
function createAsking(answers) {
  /** @type {Map<QuestionName, Question>} */
  const asked = new Map();
  const failure = (/** @type {QuestionName} */ name) => {
    const question = asked.get(name);
    return question ? answers.failureOf(question) : null;
  };

  return {
    failure,
    hasFailed: () => [...asked.keys()].some((name) => failure(name)?.kind === "failed"),
    /** @type {import("./questions.js").Want} */
    want(name, question) {
      if (!question) return null;
      asked.set(name, question);
      return /** @type {never} */ (answers.peek(question) ?? null);
    },
    /** Asks for all of it. @returns {QuestionName[]}  what is not there */
    missing() {
      const there = answers.take([...asked.values()]);
      return [...asked.keys()].filter((_, index) => there[index] === null);
    },
  };
}

/** Tables of heads, made once for each; with the copying scores where there are some. */
function createTables() {
  const tables = madeOnce((/** @type {Heads} */ heads) => tableOf(heads));
  const withScores = madeOnce((/** @type {Composition} */ { copying }) =>
    madeOnce((/** @type {Heads} */ heads) => tableOf(heads, copying)),
  );
  return (/** @type {Heads} */ heads, /** @type {Composition | null} */ composition = null) =>
    composition ? withScores(composition)(heads) : tables(heads);
}
